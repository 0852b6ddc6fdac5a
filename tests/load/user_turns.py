"""Turns of a simulated user: whole ones, stopped, left, edited, answered anew, and sent again."""

import json
import random
import time
import uuid
from typing import Any

import gevent
import requests
from urllib3.exceptions import HTTPError

from tests.load.observations import Attempt, Observations, Question
from tests.load.upstream import NOTE
from tests.load.user_requests import PATIENCE, RetryingClient

CHATS = 5
MESSAGES = 120  # of a chat: its rows are one page, and its prompt stays small
KINDS = {"whole": 30, "tool": 25, "stopped": 10, "left": 12, "edited": 13, "anew": 5, "twice": 5}
ABANDONS = 0.1  # of those that broke are not sent again
ENDS = ("finish", "abort", "error")


class Talking:
    def __init__(
        self, client: RetryingClient, observations: Observations, dice: random.Random
    ) -> None:
        self._client, self._observations, self._dice = client, observations, dice
        self._counts: dict[str, int] = {}

    def once(self) -> None:
        """One turn, of any kind."""
        chat = self._chat()
        if chat is None:
            return
        self._counts[chat] += 1
        kind = self._dice.choices(list(KINDS), list(KINDS.values()))[0]
        if kind in ("edited", "anew"):
            self._change(chat, kind)
        else:
            question = self._question(chat, with_note=kind == "tool" or self._dice.random() < 0.2)
            self._resolve(question, kind)
            if kind == "twice":
                self._resolve(question, "whole")

    def _chat(self) -> str | None:
        open_chats = [chat for chat, count in self._counts.items() if count < MESSAGES // 2]
        if len(open_chats) >= CHATS or (open_chats and self._dice.random() < 0.9):
            return self._dice.choice(open_chats)
        made = self._client.insist("POST", "/api/ai/chats", {})
        if made is None or not made.ok:
            return None
        chat = made.json()["chat"]["recordId"]
        self._observations.chats.append(chat)
        self._counts[chat] = 0
        return chat

    def _question(self, chat: str, with_note: bool, **more: Any) -> Question:
        id, words = uuid.uuid4().hex, self._dice.randint(3, 40)
        note = f"{self._observations.subject}-tool-{id}" if with_note else ""
        content = f"{id} words={words} rate={self._dice.choice((40, 200, 1000))}"
        content += f" note={note}" if note else ""
        question = Question(chat, id, content, note, **more)
        self._observations.questions.append(question)
        return question

    def _change(self, chat: str, kind: str) -> None:
        """Replace a stored message, or let the last one be answered anew."""
        where = json.dumps({"chatId": chat}, separators=(",", ":"))
        rows = self._client.page("ai-messages", f"&where={requests.utils.quote(where)}")
        mine = [row for row in rows if row["data"]["role"] == "user"]
        if not mine:
            return
        known = frozenset(row["recordId"] for row in rows)
        if kind == "edited":
            target = self._dice.choice(mine)["recordId"]
            new = self._question(chat, self._dice.random() < 0.3, replaces=target, known=known)
            self._resolve(new, "whole")
        elif not NOTE.search(mine[-1]["data"]["content"]):
            last = mine[-1]
            again = Question(chat, last["recordId"], last["data"]["content"], known=known)
            again.again = True
            self._observations.questions.append(again)
            self._resolve(again, "whole")

    def _resolve(self, question: Question, kind: str) -> None:
        """Send a message until it has ended, or is given up."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            attempt = self._ask(question, kind)
            question.attempts.append(attempt)
            if attempt.ending in ("finish", "abort", "left"):
                return
            if attempt.status in (400, 404) or (attempt.status == 409 and not attempt.will_end):
                return
            if attempt.ending == "cut" and self._dice.random() < ABANDONS:
                return
            kind = "whole"
            gevent.sleep(self._dice.uniform(0.2, 2))
        self._observations.stuck.append(f"turn {question.id}: {question.attempts[-1]}")

    def _ask(self, question: Question, kind: str) -> Attempt:
        body = {"chatId": question.chat, "userMessageId": question.id, "content": question.content}
        if question.replaces:
            body["replaces"] = question.replaces
        if question.again:
            body["trigger"] = "regenerate-message"
        attempt = Attempt()
        response = self._client.send("POST", "/api/ai/chat", body, stream=True)
        if response is None:
            return attempt
        with response:
            attempt.status = response.status_code
            if response.status_code != 200:
                attempt.ending = "refused"
                attempt.will_end = "Retry-After" in response.headers
                return attempt
            attempt.assistant = response.headers["X-Asst-Id"]
            self._read(question, attempt, response, kind)
        return attempt

    def _read(
        self, question: Question, attempt: Attempt, response: requests.Response, kind: str
    ) -> None:
        """Read the stream; stop it or leave it after some chunks, if that is the kind."""
        enough = self._dice.randint(2, 12)
        try:
            for number, chunk in enumerate(chunks(response)):
                take(attempt, chunk)
                if number == enough and kind == "left":
                    attempt.ending = "left"
                    return
                if number == enough and kind == "stopped":
                    self._client.send("POST", f"/api/ai/chat/{question.chat}/stop")
        except (requests.RequestException, HTTPError, OSError):
            attempt.ending = attempt.ending if attempt.endings else "cut"


def chunks(response: requests.Response) -> Any:
    """The chunks as they come. A stream without `[DONE]` was cut."""
    for line in response.iter_lines(chunk_size=None):
        if line == b"data: [DONE]":
            return
        if line.startswith(b"data: "):
            yield json.loads(line.removeprefix(b"data: "))
    raise OSError("no [DONE]")


def take(attempt: Attempt, chunk: dict[str, Any]) -> None:
    kind = chunk["type"]
    if kind == "start":
        attempt.started = chunk["messageId"]
    elif kind == "text-start" and attempt.text:
        attempt.text += "\n\n"
    elif kind == "text-delta":
        attempt.text += chunk["delta"]
    elif kind == "tool-output-error":
        attempt.tool_error = chunk["errorText"]
    elif kind in ENDS:
        attempt.ending, attempt.endings = kind, attempt.endings + 1
        attempt.error = chunk.get("errorText", "")
