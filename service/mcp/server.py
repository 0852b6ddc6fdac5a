"""The methods of requests. `Invocation.make` makes a call of a tool later.

Source: https://modelcontextprotocol.io/specification/2026-07-28/server/tools, and 2025-11-25.
"""

from functools import cached_property
from typing import Any

from flask import Flask

from service.app_keys import APP_SETTINGS, AppKey
from service.assistant.call_request import CALL
from service.assistant.calls import EndpointTool
from service.auth.users import Caller
from service.chat.tools.tool import APP_TOOLS, Tool, Tools
from service.ids import new_id
from service.lifecycle import LIFECYCLE
from service.mcp import consent, jobs, keys, states
from service.mcp.delivery import RunningCalls
from service.mcp.invocation import Action, Invocation
from service.mcp.message import HANDSHAKE, NEWEST_HANDSHAKE, SERVED, RpcMessage
from service.mcp.refusal import INVALID_PARAMS, METHOD_NOT_FOUND
from service.mcp.results import SERVER, cacheable
from service.mcp.tool_list import Offer, Offers
from service.sealing.seal import Sealer

MCP_SERVER = AppKey["Server"]("mcp")
CAPABILITIES: dict[str, Any] = {"tools": {}}
# Some hosts show a model only the first 512 characters of both texts together.
RECORDS = (
    "Records of this app, with the rights of its user: schema_list names the collections and "
    "schema_describe their columns; records_create, records_update and records_delete write at "
    "once."
)
ENDPOINTS = (
    " Services outside: integrations_find says which endpoints there are, what they cost and which "
    "need the user's yes; integrations_call calls one. Show the user a link that a result has."
)
NO_STATE = "The requestState is of another call, has expired, or was used before."
NO_RESPONSES = "The inputResponses must have an answer to each question, with its action."


class Server:
    """The methods of both eras."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        settings = APP_SETTINGS.of(app)
        tools = _tools(APP_TOOLS.of(app))
        self._offers = Offers(tools, settings.mcp_endpoints)
        has_catalog = self._offers.get(CALL) is not None
        self._instructions = RECORDS + (ENDPOINTS if has_catalog else "")
        self.calls = RunningCalls()
        self.calls.watch(LIFECYCLE.of(app))

    @cached_property
    def _sealer(self) -> Sealer:
        """Created when it is first needed, because most commands run without its keys."""
        return Sealer(APP_SETTINGS.of(self._app).token_encryption_keys)

    def answer(self, message: RpcMessage) -> dict[str, Any]:
        """Return the result of a request other than a call. Raises `RpcError`."""
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
        """Return the call that a request asks for. Raises `RpcError`. Needs an app context."""
        name, arguments = message.params.get("name"), message.params.get("arguments", {})
        offer = self._offers.get(name) if isinstance(name, str) else None
        if offer is None:
            raise message.refusal(INVALID_PARAMS, "There is no tool of this name: see tools/list.")
        if not isinstance(arguments, dict):
            raise message.refusal(INVALID_PARAMS, "The arguments must be an object.")
        opens_links = consent.can_open_links(message.capabilities)
        action, call_id = self._resume(message, caller, offer, arguments)
        return Invocation(
            app=self._app,
            sealer=self._sealer,
            offer=offer,
            caller=caller,
            token=token,
            arguments=arguments,
            call_id=call_id,
            opens_links=opens_links,
            action=action,
        )

    def _resume(
        self, message: RpcMessage, caller: Caller, offer: Offer, arguments: dict[str, Any]
    ) -> tuple[Action | None, str]:
        """Return what the user has done since the first request of the call, and the call's id."""
        state = message.params.get("requestState")
        if state is None or not message.is_modern:
            return None, new_id("call")
        action = _action(message)
        try:
            call_id = states.use(self._sealer, caller.subject, state, offer.tool.name, arguments)
        except states.UnusableState:
            raise message.refusal(INVALID_PARAMS, NO_STATE) from None
        return action, call_id

    def _initialize(self, message: RpcMessage) -> dict[str, Any]:
        requested = message.params.get("protocolVersion")
        return {
            "protocolVersion": requested if requested in HANDSHAKE else NEWEST_HANDSHAKE,
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER,
            "instructions": self._instructions,
        }

    def _discover(self) -> dict[str, Any]:
        return {
            "supportedVersions": list(SERVED),
            "capabilities": CAPABILITIES,
            "instructions": self._instructions,
        }

    def _list(self, message: RpcMessage) -> dict[str, Any]:
        """Return all tools at once, because many clients request only the first page."""
        if message.params.get("cursor") is not None:
            raise message.refusal(INVALID_PARAMS, "There is one page, which has no cursor.")
        return {"tools": self._offers.listed}


def _tools(allowed: Tools) -> list[Tool]:
    """Return the assistant's tools, and one for slow calls if endpoints can be called."""
    tools = [keys.with_key(tool) for spec in allowed.specs if (tool := allowed.get(spec.name))]
    calls = any(isinstance(one, EndpointTool) or one.name == CALL for one in tools)
    return [*tools, jobs.look] if calls else tools


def _action(message: RpcMessage) -> Action | None:
    """Return what the user has done with the link; None if the client does not say it."""
    responses = message.params.get("inputResponses", {})
    answer = responses.get(consent.CONNECT, {}) if isinstance(responses, dict) else None
    match answer.get("action") if isinstance(answer, dict) else "":
        case None | "accept" | "decline" | "cancel" as action:
            return action
    raise message.refusal(INVALID_PARAMS, NO_RESPONSES)
