"""A user who has the sandbox's assistant call tools of a running service."""

import json

import requests

from service.auth.tokens import issue
from tests.people import chunks_of
from tests.services import Service, settings_for


class ToolCaller:
    """alice, for whom the sandbox's assistant calls the tools of tests/extension.py."""

    def __init__(self, service: Service) -> None:
        self.service = service
        token = issue(settings_for(service.database_url), "alice", "user", 600)
        self.headers = {"Authorization": f"Bearer {token}"}
        self.chat = self.post("/api/ai/chats", {}).json()["chat"]["recordId"]

    def post(self, path: str, body: dict) -> requests.Response:
        url = self.service.url + path
        return requests.post(url, json=body, headers=self.headers, timeout=60)

    def call(self, tool: str, message: str, **given: object) -> None:
        text = f"call {tool} with {json.dumps(given)}"
        turn = {"chatId": self.chat, "userMessageId": message, "content": text}
        chunks = chunks_of(self.post("/api/ai/chat", {**turn, "modelId": "gen-5.4"}).content)
        assert "done" in [chunk.get("output") for chunk in chunks]

    def lines(self, event: str) -> list[dict]:
        entries = [json.loads(line) for line in self.output() if line.startswith("{")]
        return [line for line in entries if line["event"] == event]

    def output(self) -> list[str]:
        return self.service.log.read_text().splitlines()
