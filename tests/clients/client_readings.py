"""What the real `ai` packages read from the streams of a running service, and the stored rows."""

import json
import re
import subprocess
from dataclasses import dataclass
from typing import Any

import pytest
import requests

from service.auth.tokens import issue
from tests.clients.packages import HERE, manifest_of
from tests.services import Service, settings_for

ENDINGS = ("finish", "abort", "error")
OPEN_STATES = ("streaming", "input-streaming", "input-available")
PATIENCE = 500  # seconds for all questions of a reader together, on a slow machine


@dataclass(frozen=True)
class Question:
    """Each is asked in a chat of its own; `name` is how a test finds its reading."""

    name: str
    content: str
    model: str = "llm-sonnet-4-6"
    cut: bool = False  # its connection is lost, and it is read by resuming


@dataclass(frozen=True)
class Reading:
    """One turn as one client read it; read.mjs says what the fields are.

    `rows` are the records of the chat's messages, asked for after the stream.
    """

    package: str
    wire: list[str]
    chunks: list[dict[str, Any]]
    message: dict[str, Any] | None
    errors: list[str]
    invalid: list[dict[str, str]]
    header: str | None
    resubmits: bool
    rows: list[dict[str, Any]]

    @property
    def sent(self) -> list[dict[str, Any]]:
        """The chunks on the wire, of a stream that ends as every stream must."""
        assert self.wire[-1:] == ["[DONE]"], self.wire[-3:]
        return [json.loads(data) for data in self.wire[:-1]]

    @property
    def types(self) -> list[str]:
        return [chunk["type"] for chunk in self.sent]

    @property
    def endings(self) -> list[str]:
        return [type for type in self.types if type in ENDINGS]

    @property
    def reasoning(self) -> list[str]:
        return [type for type in self.types if type.startswith("reasoning")]

    @property
    def parts(self) -> list[dict[str, Any]]:
        assert self.message, self.errors
        return self.message["parts"]

    @property
    def open_parts(self) -> list[dict[str, Any]]:
        return [part for part in self.parts if part.get("state") in OPEN_STATES]

    @property
    def text(self) -> str:
        return "\n\n".join(part["text"] for part in self.parts if part["type"] == "text")

    @property
    def stored(self) -> dict[str, Any]:
        """The record of the assistant message."""
        user, assistant = self.rows
        assert (user["data"]["role"], assistant["data"]["role"]) == ("user", "assistant")
        return assistant


class Reader:
    """One user of the service, who has one version of the client."""

    def __init__(self, service: Service, package: str) -> None:
        self.service = service
        self.package = package
        settings = settings_for(service.database_url)
        self.token = issue(settings, f"reader-of-{package}", "user", 3600)

    def read(self, questions: list[Question]) -> dict[str, Reading]:
        """Every answer, by its question's name; one Node process reads them all."""
        asked = [self._body(question) for question in questions]
        given = self._run("read.mjs", questions=asked)["readings"]
        return {
            question.name: Reading(self.package, **answer, rows=self.rows(body["chatId"]))
            for question, body, answer in zip(questions, asked, given, strict=True)
        }

    def edit(self) -> tuple[str, list[list[str]]]:
        """A chat that `edit.mjs` has edited, and the texts of its messages after each send."""
        chat_id = self._new_chat()
        return chat_id, self._run("edit.mjs", chatId=chat_id)["texts"]

    def _new_chat(self) -> str:
        return self._request("POST", "/api/ai/chats", json={})["chat"]["recordId"]

    def _body(self, question: Question) -> dict[str, Any]:
        chat_id = self._new_chat()
        return {
            "chatId": chat_id,
            "userMessageId": f"question-in-{chat_id}",
            "content": question.content,
            "modelId": question.model,
            "cut": question.cut,
        }

    def _run(self, script: str, **given: Any) -> dict[str, Any]:
        told = {"package": self.package, "url": self.service.url, "token": self.token}
        done = subprocess.run(
            ["node", script],
            cwd=HERE,
            input=json.dumps({**told, **given}),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout)
        if "unloadable" in answer:
            self._excuse(answer["node"], answer["unloadable"])
        return answer

    def _excuse(self, node: str, reason: str) -> None:
        """Skip what can't be loaded, but only where Node is older than the package asks for."""
        needed = manifest_of(self.package)["engines"]["node"]
        told = f"{self.package} asks for Node.js {needed}; {node} can't load it: {reason}"
        assert _major(node) < _major(needed), told
        pytest.skip(told)

    def rows(self, chat_id: str) -> list[dict[str, Any]]:
        where = {"where": json.dumps({"chatId": chat_id})}
        return self._request("GET", "/api/records/ai-messages", params=where)["records"]

    def _request(self, method: str, path: str, **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        url = self.service.url + path
        response = requests.request(method, url, headers=headers, timeout=30, **options)
        assert response.ok, response.text
        return response.json()


def _major(version: str) -> int:
    return int(re.search(r"\d+", version)[0])
