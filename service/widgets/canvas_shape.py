"""The shapes that the `widgets` and `io` of a canvas need to be stored.

No part of a canvas is lost: widgets of missing templates and connections that do not work are
stored, and shown as broken. Unknown keys are stored too.
Source: docs/widgets.md.
"""

from typing import Any

from marshmallow import INCLUDE, Schema, ValidationError, fields, validate

from service.web.fields import JsonBoolean, JsonNumber
from service.web.json_values import encode
from service.widgets.validation_messages import flat_messages

MOST_WIDGETS = 200
MOST_CONNECTIONS = 500
ID_LIMIT = 128  # characters
MOST_BYTES = 65_536  # of JSON, in the settings or the kept values of one widget
FARTHEST = 1_000_000  # pixels from the origin
LARGEST = 10_000  # pixels
MOST_SHOWN = 20  # faults in one answer


def _id(**facts: Any) -> fields.String:
    return fields.String(validate=validate.Length(1, ID_LIMIT), **facts)


def _coordinate() -> JsonNumber:
    return JsonNumber(required=True, validate=validate.Range(-FARTHEST, FARTHEST))


def _length() -> JsonNumber:
    return JsonNumber(required=True, validate=validate.Range(0, LARGEST, min_inclusive=False))


def _check_size(value: Any) -> None:
    if len(encode(value).encode(errors="replace")) > MOST_BYTES:
        raise ValidationError(f"Must have at most {MOST_BYTES} bytes of JSON.")


class Tolerant(Schema):
    class Meta:
        unknown = INCLUDE


class WidgetShape(Tolerant):
    id = _id(required=True)
    templateHandle = _id(required=True)
    x = _coordinate()
    y = _coordinate()
    width = _length()
    height = _length()
    settings = fields.Dict(keys=fields.String(), validate=_check_size)


class SlotReference(Tolerant):
    widgetId = _id(required=True)
    slotId = _id(required=True)


class ConnectionShape(Tolerant):
    id = _id()
    # Its name in JSON is `from`, a keyword of Python.
    source = fields.Nested(SlotReference, required=True, data_key="from")
    to = fields.Nested(SlotReference, required=True)
    createdAt = fields.String(validate=validate.Length(max=64))
    enabled = JsonBoolean()


class NotedWidget(Tolerant):
    """The template of a widget when its connections were made, and its kept values."""

    templateHandle = _id()
    slotsVersion = fields.Integer(strict=True)
    # By slot. Every value on a canvas is an object.
    values = fields.Dict(keys=_id(), values=fields.Dict(keys=fields.String()), validate=_check_size)


class IoShape(Tolerant):
    version = fields.Integer(strict=True, validate=validate.Equal(1))
    connections = fields.List(fields.Nested(ConnectionShape))
    widgets = fields.Dict(keys=_id(), values=fields.Nested(NotedWidget))


class WidgetList(Schema):
    widgets = fields.List(fields.Nested(WidgetShape))


def widget_faults(widgets: list[Any]) -> list[tuple[str, str]]:
    """Return the faults of a canvas's `widgets`: paths such as `3.x`, and texts.

    Too many widgets are not checked one by one: a body of a mebibyte takes tenths of a second.
    """
    if len(widgets) > MOST_WIDGETS:
        return [("", f"Longer than maximum length {MOST_WIDGETS}.")]
    found = _faults(WidgetList(), {"widgets": widgets})
    inside = [(path.removeprefix("widgets").lstrip("."), text) for path, text in found]
    return inside or _repeated_ids(widgets)


def io_faults(io: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the faults of a canvas's `io`: paths, as `connections.2.from.slotId`, and texts."""
    for name in ("connections", "widgets"):
        if isinstance(parts := io.get(name), list | dict) and len(parts) > MOST_CONNECTIONS:
            return [(name, f"Longer than maximum length {MOST_CONNECTIONS}.")]
    return _faults(IoShape(), io)


def wrong_widgets(widgets: Any) -> list[str]:
    return _texts(widget_faults(widgets))


def wrong_io(io: Any) -> list[str]:
    return _texts(io_faults(io))


def _faults(schema: Schema, data: dict[str, Any]) -> list[tuple[str, str]]:
    try:
        schema.load(data)
    except ValidationError as error:
        return list(flat_messages(error.normalized_messages()))
    return []


def _repeated_ids(widgets: list[dict[str, Any]]) -> list[tuple[str, str]]:
    first: dict[str, int] = {}
    for number, widget in enumerate(widgets):
        first.setdefault(widget["id"], number)
    repeated = [number for number, one in enumerate(widgets) if first[one["id"]] != number]
    return [(f"{number}.id", "Must not be another widget's id.") for number in repeated]


def _texts(faults: list[tuple[str, str]]) -> list[str]:
    return [f"{path}: {text}" if path else text for path, text in faults[:MOST_SHOWN]]
