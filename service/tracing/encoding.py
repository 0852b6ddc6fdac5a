"""Encode spans as OTLP/JSON, without secrets.

Source: the OpenTelemetry protocol's JSON encoding: ids are hexadecimal, 64-bit integers are texts.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from service.observing.logs import redactor

KINDS = {"internal": 1, "server": 2, "client": 3}
FAILED = 2  # the status code
TEXT_LIMIT = 65_536  # characters of an attribute; a longer one is cut


@dataclass
class SpanFacts:
    """The facts of a span that are sent. Times are nanoseconds since 1970; ids are hexadecimal."""

    name: str
    kind: str
    trace_id: str
    span_id: str
    parent_id: str
    start: int
    end: int = 0
    is_failed: bool = False
    attributes: dict[str, Any] = field(default_factory=dict)


def encode(span: SpanFacts) -> bytes:
    """Return a span as JSON.

    Secrets are removed before long texts are cut, because a part of one could stay otherwise.
    """
    clean = redactor(None, "", {"name": span.name, **span.attributes})
    name = clean.pop("name")
    body: dict[str, Any] = {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "name": name,
        "kind": KINDS[span.kind],
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end),
        "attributes": _attributes(clean),
        "status": {"code": FAILED} if span.is_failed else {},
    }
    if span.parent_id:
        body["parentSpanId"] = span.parent_id
    return json.dumps(body, separators=(",", ":")).encode()


def batch(spans: Iterable[bytes], resource: Mapping[str, Any], scope: str) -> bytes:
    """Return the body of one export."""
    about = json.dumps({"attributes": _attributes(resource)}).encode()
    named = json.dumps({"name": scope}).encode()
    return (
        b'{"resourceSpans":[{"resource":' + about + b',"scopeSpans":[{"scope":' + named
        + b',"spans":[' + b",".join(spans) + b"]}]}]}"
    )  # fmt: skip


def _attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in values.items()]


def _value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list() | tuple():
            return {"arrayValue": {"values": [_value(item) for item in value]}}
        case _:
            return {"stringValue": str(value)[:TEXT_LIMIT]}
