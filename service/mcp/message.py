"""One message of a client, and the era of its protocol.

Revisions up to 2025-11-25 begin with a handshake, `initialize`. The modern ones have no session:
each message has its version and the client's capabilities. Source:
https://modelcontextprotocol.io/specification/2026-07-28/changelog.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from werkzeug.datastructures import Headers

from service.mcp.refusal import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    UNSUPPORTED_VERSION,
    MessageId,
    RpcError,
)

MODERN = "2026-07-28"
NEWEST_HANDSHAKE = "2025-11-25"
HANDSHAKE = (NEWEST_HANDSHAKE, "2025-06-18", "2025-03-26")
SERVED = (MODERN, *HANDSHAKE)

META = "io.modelcontextprotocol/"  # prefix of the protocol's names in `_meta`
VERSION_HEADER, METHOD_HEADER, NAME_HEADER = "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"
METHODS_WITH_NAME = ("tools/call", "prompts/get")  # a header repeats `params.name`
# Methods that clients send, whether they are served or not. The log has `OTHER_METHOD` for others.
METHODS = (
    "initialize", "ping", "server/discover", "tools/list", "tools/call",
    "resources/list", "prompts/list",
    "notifications/initialized", "notifications/cancelled", "notifications/progress",
)  # fmt: skip
OTHER_METHOD = "_OTHER"  # OpenTelemetry's name


@dataclass(frozen=True)
class RpcMessage:
    """A request, a notification (without an id), or a response (without a method)."""

    message_id: MessageId
    method: str | None
    params: Mapping[str, Any]
    is_modern: bool

    @property
    def expects_answer(self) -> bool:
        return self.method is not None and self.message_id is not None

    @property
    def method_label(self) -> str | None:
        """The method for the log, which never has a client's text; None for a response."""
        return self.method if self.method in (None, *METHODS) else OTHER_METHOD

    @property
    def meta(self) -> Mapping[str, Any]:
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """The client's capabilities; empty in the handshake era, which has no sessions here."""
        declared = self.meta.get(f"{META}clientCapabilities") if self.is_modern else None
        return declared if isinstance(declared, dict) else {}

    @property
    def progress_token(self) -> str | int | None:
        token = self.meta.get("progressToken")
        return token if isinstance(token, str | int) else None

    def refusal(self, code: int, text: str, **data: Any) -> RpcError:
        return RpcError(code, text, self.message_id, is_modern=self.is_modern, **data)


def read(value: Any, headers: Headers) -> RpcMessage:
    """Read the message in a body's JSON. Raises `RpcError`."""
    if isinstance(value, list):
        raise RpcError(INVALID_REQUEST, "Send one message at a time: a batch is not supported.")
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'A message is an object with "jsonrpc": "2.0".')
    message_id = value.get("id")
    if "id" in value and (not isinstance(message_id, str | int) or isinstance(message_id, bool)):
        raise RpcError(INVALID_REQUEST, "The id must be a text or a whole number.")
    params = value.get("params", {})
    if not isinstance(params, dict):
        raise RpcError(INVALID_REQUEST, "The params must be an object.", message_id)
    message = RpcMessage(message_id, value.get("method"), params, _is_modern(params, headers))
    if not isinstance(message.method, str):
        _check_response(message, value)
    _check_version(message, headers)
    return message


def _is_modern(params: Mapping[str, Any], headers: Headers) -> bool:
    meta = params.get("_meta")
    declared = isinstance(meta, dict) and f"{META}protocolVersion" in meta
    return declared or headers.get(VERSION_HEADER) == MODERN


def _check_response(message: RpcMessage, value: Mapping[str, Any]) -> None:
    """Accept and ignore a response in the handshake era. The modern one has no responses."""
    if message.method is not None or not {"result", "error"} & value.keys():
        raise message.refusal(INVALID_REQUEST, "The method must be a text.")
    if message.is_modern:
        raise message.refusal(INVALID_REQUEST, "This server sends no requests to be answered.")


def _check_version(message: RpcMessage, headers: Headers) -> None:
    if message.is_modern and message.expects_answer:
        _check_modern(message, headers)
    elif not message.is_modern:
        _check_served(message, headers.get(VERSION_HEADER, HANDSHAKE[-1]))


def _check_modern(message: RpcMessage, headers: Headers) -> None:
    """Check the version, the headers and the capabilities in the specification's order."""
    version = message.meta.get(f"{META}protocolVersion")
    if not isinstance(version, str):
        raise message.refusal(INVALID_PARAMS, f"_meta must have {META}protocolVersion.")
    _check_header(message, headers, VERSION_HEADER, version)
    _check_header(message, headers, METHOD_HEADER, message.method)
    if message.method in METHODS_WITH_NAME:
        _check_header(message, headers, NAME_HEADER, message.params.get("name"))
    _check_served(message, version)
    if not isinstance(message.meta.get(f"{META}clientCapabilities"), dict):
        raise message.refusal(INVALID_PARAMS, f"_meta must have {META}clientCapabilities.")


def _check_header(message: RpcMessage, headers: Headers, name: str, expected: Any) -> None:
    """Check that a header repeats the body, for those who route by it.

    If it was sent twice, its value has a comma.
    """
    given = headers.get(name)
    if given is None or _decoded(given) != expected:
        text = f"The header {name} must be there once, with the same value as the body."
        raise message.refusal(HEADER_MISMATCH, text)


def _decoded(header: str) -> str | None:
    """Return a header's value, which may be `=?base64?…?=`; None if that is malformed."""
    if not (header.startswith("=?base64?") and header.endswith("?=")):
        return header
    try:
        return base64.b64decode(header[9:-2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _check_served(message: RpcMessage, version: str) -> None:
    if version not in SERVED:
        facts = {"supported": list(SERVED), "requested": version}
        raise message.refusal(UNSUPPORTED_VERSION, "Unsupported protocol version.", **facts)
