"""What a request's method does. A call of a tool is made later, by `Invocation.make`.

Source: https://modelcontextprotocol.io/specification/2026-07-28/server/tools, and 2025-11-25.
"""

from typing import Any

from flask import Flask

from service.auth.users import Caller
from service.chat.tools.tool import Tools
from service.mcp.invocation import Invocation
from service.mcp.message import HANDSHAKE, NEWEST_HANDSHAKE, SERVED, RpcMessage
from service.mcp.offers import RECORD_TOOLS, Offers
from service.mcp.refusal import INVALID_PARAMS, METHOD_NOT_FOUND
from service.mcp.results import SERVER, cacheable

CAPABILITIES: dict[str, Any] = {"tools": {}}
# Some hosts show a model only the first 512 characters.
INSTRUCTIONS = (
    "Records of this app, with the rights of the signed-in user. schema_list names the collections "
    "and schema_describe their columns; records_query and records_get read; records_create, "
    "records_update and records_delete write at once, so ask the user before you delete."
)


class Server:
    """The methods of both eras."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        tools: Tools = app.extensions["tools"]
        known = ((tools.get(name), effects) for name, effects in RECORD_TOOLS.items())
        self._offers = Offers((tool, effects) for tool, effects in known if tool)

    def answer(self, message: RpcMessage) -> dict[str, Any]:
        """The result of a request other than a call. Raises `RpcError`."""
        match message.method:
            case "initialize" if not message.is_modern:
                return self._initialize(message)
            case "ping" if not message.is_modern:
                return {}
            case "server/discover" if message.is_modern:
                return cacheable(message, self._discover())
            case "tools/list":
                return cacheable(message, self._list(message))
        raise message.refusal(METHOD_NOT_FOUND, f"There is no method {message.method}.")

    def call(self, message: RpcMessage, caller: Caller, token: str) -> Invocation:
        """The call that a request asks for. Raises `RpcError`."""
        name, arguments = message.params.get("name"), message.params.get("arguments", {})
        offer = self._offers.get(name) if isinstance(name, str) else None
        if offer is None:
            raise message.refusal(INVALID_PARAMS, "There is no tool of this name: see tools/list.")
        if not isinstance(arguments, dict):
            raise message.refusal(INVALID_PARAMS, "The arguments must be an object.")
        return Invocation(self._app, offer.tool, caller, token, arguments)

    def _initialize(self, message: RpcMessage) -> dict[str, Any]:
        asked = message.params.get("protocolVersion")
        return {
            "protocolVersion": asked if asked in HANDSHAKE else NEWEST_HANDSHAKE,
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER,
            "instructions": INSTRUCTIONS,
        }

    def _discover(self) -> dict[str, Any]:
        return {
            "supportedVersions": list(SERVED),
            "capabilities": CAPABILITIES,
            "instructions": INSTRUCTIONS,
        }

    def _list(self, message: RpcMessage) -> dict[str, Any]:
        """All tools at once: many clients ask for the first page only."""
        if message.params.get("cursor") is not None:
            raise message.refusal(INVALID_PARAMS, "There is one page, which has no cursor.")
        return {"tools": self._offers.listed}
