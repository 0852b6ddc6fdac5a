"""Users and chats of the service: a chat for every turn, created before the measurement."""

import functools
import http.client
import itertools
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from bench import histories
from config import load
from service.auth.tokens import issue
from tests.services import ENVIRONMENT

DAY = 24 * 3600
AT_ONCE = 4

_messages = itertools.count(1)


@dataclass(frozen=True)
class Question:
    """The text of a turn, its model if it is not the default, and the messages before it.

    All questions of a run have equally many messages before them.
    """

    text: str
    model: str = ""
    history: int = 0


class People:
    """Makes requests, each of another user, in a chat of its own.

    The history before a turn changes its cost, so no chat is used twice.
    """

    def __init__(self, port: int, database_url: str) -> None:
        self._port = port
        self._database_url = database_url
        self._settings = load(ENVIRONMENT)
        self._tokens: list[str] = []

    def requests(self, questions: Sequence[Question]) -> list[str]:
        count = len(questions)
        self._tokens += [self._token(n) for n in range(len(self._tokens), count)]
        parts = [self._tokens[first:count:AT_ONCE] for first in range(AT_ONCE)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            chats = list(pool.map(self._chats, parts))
        pairs = [
            pair for part in zip(parts, chats, strict=True) for pair in zip(*part, strict=True)
        ]
        if questions[0].history:
            chats_only = [chat for _, chat in pairs]
            histories.write(self._database_url, chats_only, questions[0].history)
        return [
            self.request("/api/ai/chat", chat, question, token)
            for question, (token, chat) in zip(questions, pairs, strict=True)
        ]

    @staticmethod
    def request(path: str, chat: str, question: Question, token: str = "") -> str:
        """A complete HTTP request; the relays read only the text and the model."""
        message = f"bench-{next(_messages)}"
        body = {"chatId": chat, "userMessageId": message, "content": question.text}
        if question.model:
            body["modelId"] = question.model
        return _post(path, token or _relay_token(), json.dumps(body))

    def _token(self, number: int) -> str:
        return issue(self._settings, f"bench-{number}", "user", DAY)

    def _chats(self, tokens: list[str]) -> list[str]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        return [self._chat(connection, token) for token in tokens]

    def _chat(self, connection: http.client.HTTPConnection, token: str) -> str:
        connection.request("POST", "/api/ai/chats", headers={"Authorization": f"Bearer {token}"})
        response = connection.getresponse()
        body = response.read()
        if response.status != 201:
            raise RuntimeError(f"no chat: {response.status} {body[:300]!r}")
        return json.loads(body)["chat"]["recordId"]


@functools.cache
def _relay_token() -> str:
    """A valid token for all requests to a relay."""
    return issue(load(ENVIRONMENT), "bench", "user", DAY)


def _post(path: str, token: str, body: str) -> str:
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {token}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join([*lines, "", body])
