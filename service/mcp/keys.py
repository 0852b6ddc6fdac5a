"""The key of a call of `integrations.call`, which has the effect of an `Idempotency-Key` header.

A client that has lost the answer of a call repeats it. Its requests have new ids then, which may
also be those of other calls, so only the client can say that a call is the same.
"""

from dataclasses import replace
from typing import Any

from marshmallow import ValidationError, validate

from service.assistant.call_request import CALL
from service.assistant.calls import EndpointCall
from service.chat.tools.tool import Tool
from service.web.fields import KEY, KEY_RULE, Text

NAME = "idempotencyKey"
ABOUT = (
    "A new text for each call, such as a UUID. If the answer is lost, repeat the call with the "
    "same key and body: within 24 hours it is made, and charged, only once."
)


def _check(key: str) -> None:
    if not KEY.fullmatch(key):
        raise ValidationError(KEY_RULE)


class KeyedCall(EndpointCall):
    idempotencyKey = Text(
        load_default=None,
        allow_none=True,
        validate=validate.And(validate.Length(1, 255), _check),
        metadata={"description": ABOUT},
    )


def with_key(tool: Tool) -> Tool:
    """Return a tool as clients see it: `integrations.call` takes a key too."""
    return replace(tool, schema=KeyedCall()) if tool.name == CALL else tool


def take_key(tool: Tool, tool_input: dict[str, Any]) -> str | None:
    """Remove the key from a tool's input, and return it; None without one."""
    return tool_input.pop(NAME, None) if isinstance(tool.schema, KeyedCall) else None
