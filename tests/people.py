"""The people of every test: alice (owner), bob (another user), admin. They make real requests."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

from flask.testing import FlaskClient

from config import Settings
from service.auth.tokens import issue


@dataclass
class Person:
    """A signed-in user of the app under test."""

    subject: str
    client: FlaskClient
    token: str
    chats: list[str] = field(default_factory=list)
    messages: int = 0

    def request(self, method: str, path: str, **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", **options.pop("headers", {})}
        options = {"buffered": True, **options}  # read and closed, as a client does
        return self.client.open(path, method=method, headers=headers, **options)

    def get(self, path: str, **options: Any) -> Any:
        return self.request("GET", path, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> Any:
        return self.request("POST", path, **{"json": body, **options})

    def patch(self, path: str, body: Any = None, **options: Any) -> Any:
        return self.request("PATCH", path, json=body, **options)

    def delete(self, path: str, **options: Any) -> Any:
        return self.request("DELETE", path, **options)

    def new_chat(self, title: str | None = None) -> str:
        body = {} if title is None else {"title": title}
        return self.post("/api/ai/chats", body).json["chat"]["recordId"]

    def ask(self, chat_id: str, content: str, **body: Any) -> Any:
        """A turn's response, its body not read yet."""
        self.messages += 1
        question = {"chatId": chat_id, "userMessageId": f"u-{self.messages}", "content": content}
        return self.post("/api/ai/chat", {**question, **body}, buffered=False)

    def turn(self, chat_id: str, content: str, **body: Any) -> list[dict[str, Any]]:
        """The chunks of a whole turn."""
        response = self.ask(chat_id, content, **body)
        assert response.status_code == 200, response.get_data()
        return chunks_of(response.get_data())

    def limited(self, scope: str = "calls", **limits: Any) -> "Person":
        """The same person with a limited token that they have made."""
        made = self.post("/api/tokens", {"scope": scope, **limits})
        assert made.status_code == 201, made.json
        return replace(self, token=made.json["token"], chats=[])

    def records(self, collection: str, **query: Any) -> list[dict[str, Any]]:
        asked = {k: v if isinstance(v, str) else json.dumps(v) for k, v in query.items()}
        return self.get(f"/api/records/{collection}", query_string=asked).json["records"]

    def rows(self, chat_id: str) -> list[dict[str, Any]]:
        """The data of the stored messages of a chat."""
        records = self.records("ai-messages", where={"chatId": chat_id})
        return [record["data"] for record in records]


def person(client: FlaskClient, settings: Settings, subject: str, role: str = "user") -> Person:
    return Person(subject, client, issue(settings, subject, role, 3600))


def chunks_of(stream: bytes) -> list[dict[str, Any]]:
    """The chunks of a stream that ends as every stream must."""
    assert stream.endswith(b"data: [DONE]\n\n"), stream[-300:]
    return chunks_so_far(stream)


def chunks_so_far(stream: bytes) -> list[dict[str, Any]]:
    """The whole chunks of a stream's beginning."""
    events = stream.split(b"\n\n")[:-1]
    told = [event.removeprefix(b"data: ") for event in events if event.startswith(b"data: ")]
    return [json.loads(event) for event in told if event != b"[DONE]"]


def types(chunks: list[dict[str, Any]]) -> list[str]:
    return [chunk["type"] for chunk in chunks]


def text_of(chunks: list[dict[str, Any]]) -> str:
    return "".join(chunk["delta"] for chunk in chunks if chunk["type"] == "text-delta")
