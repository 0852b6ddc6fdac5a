"""Errors of JSON-RPC, as the revisions of the Model Context Protocol use them.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic.
"""

from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

MessageId = str | int | None


class RpcError(Exception):
    """A refusal. `message_id` is None if the message has no readable id.

    Clients of the handshake era take an HTTP error for a failure of the transport, and do not read
    its code. So the refusal of a readable request has the status 200 in that era.
    """

    def __init__(
        self,
        code: int,
        text: str,
        message_id: MessageId = None,
        *,
        is_modern: bool = True,
        **data: Any,
    ) -> None:
        super().__init__(text)
        self.code, self.text, self.message_id = code, text, message_id
        self.is_modern, self.data = is_modern, data

    @property
    def status(self) -> int:
        """The HTTP status."""
        if not self.is_modern and self.code in (METHOD_NOT_FOUND, INVALID_PARAMS):
            return 200
        return 404 if self.code == METHOD_NOT_FOUND else 400

    @property
    def response(self) -> dict[str, Any]:
        """The JSON-RPC response."""
        error: dict[str, Any] = {"code": self.code, "message": self.text}
        if self.data:
            error["data"] = self.data
        return {"jsonrpc": "2.0", "id": self.message_id, "error": error}
