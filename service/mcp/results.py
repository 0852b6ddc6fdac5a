"""The results of requests, in the form of their era.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic and `server/discover`.
"""

from collections.abc import Mapping
from typing import Any

from service.chat.tools.run import Outcome
from service.mcp.message import META, RpcMessage
from service.mcp.tool_list import with_wire_names
from service.web.json_values import encode
from service.web.openapi import VERSION

SERVER = {"name": "service", "title": "Chat, integration and widget service", "version": VERSION}
TTL_MS = 60_000  # for which a client may keep the list of tools, which a release may change


def response(message: RpcMessage, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON-RPC response with a result."""
    if message.is_modern:
        own = {"_meta": {f"{META}serverInfo": SERVER}}
        result = {"resultType": "complete", **result, **own}
    return {"jsonrpc": "2.0", "id": message.message_id, "result": result}


def cacheable(message: RpcMessage, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result that a modern client may keep for a while, for one user."""
    hints = {"ttlMs": TTL_MS, "cacheScope": "private"} if message.is_modern else {}
    return {**result, **hints}


def tool_result(outcome: Outcome, *notes: str) -> dict[str, Any]:
    """Return the result of a tool: its output as JSON text, and also as an object if it is one.

    An error has only its text. `notes` are texts of ours about the call.
    """
    if outcome.error is not None:
        return {"content": [_text(with_wire_names(outcome.error))], "isError": True}
    structured = {"structuredContent": outcome.output} if isinstance(outcome.output, dict) else {}
    texts = (encode(outcome.output), *notes)
    return {"content": [_text(one) for one in texts], **structured, "isError": False}


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
