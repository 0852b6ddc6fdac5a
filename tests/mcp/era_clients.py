"""Requests of clients of both eras of the Model Context Protocol."""

from dataclasses import dataclass
from typing import Any

from service.mcp.message import META, MODERN
from tests.people import Person

ABSENT = object()
FORMS = {"Accept": "application/json, text/event-stream"}


@dataclass
class Speaker:
    """A client of one era. `capabilities` are what a modern one declares."""

    person: Person
    is_modern: bool
    version: str = MODERN

    def ask(self, method: str, params: Any = None, **options: Any) -> Any:
        """The HTTP response to a request. `meta` and `headers` are added; ABSENT takes away."""
        message = {"jsonrpc": "2.0", "id": options.pop("id", 1), "method": method}
        meta, headers = options.pop("meta", {}), options.pop("headers", {})
        params = {**(params or {})}
        if self.is_modern:
            params["_meta"] = _without_absent({**self._meta(), **meta})
            headers = {**self._headers(method, params), **headers}
        elif meta:
            params["_meta"] = meta
        headers = _without_absent({**FORMS, **headers})
        return self.person.post("/mcp", {**message, "params": params}, headers=headers, **options)

    def result(self, method: str, params: Any = None, **options: Any) -> dict[str, Any]:
        answered = self.ask(method, params, **options)
        assert answered.status_code == 200, answered.json
        assert answered.json["id"] == 1
        return answered.json["result"]

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        return self.result("tools/call", {"name": tool, "arguments": arguments})

    def _meta(self) -> dict[str, Any]:
        return {f"{META}protocolVersion": self.version, f"{META}clientCapabilities": {}}

    def _headers(self, method: str, params: dict[str, Any]) -> dict[str, str]:
        named = {"Mcp-Name": params["name"]} if isinstance(params.get("name"), str) else {}
        return {"MCP-Protocol-Version": self.version, "Mcp-Method": method, **named}


def _without_absent(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not ABSENT}


def refusal(answered: Any) -> tuple[int, int]:
    """The HTTP status and the code of an error."""
    assert answered.json["jsonrpc"] == "2.0"
    return answered.status_code, answered.json["error"]["code"]
