"""What a widget's template declares about itself, and the reader of `manifest.json`.

Source: docs/contract.md, sections 0.6 and 12.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from marshmallow import RAISE, Schema, ValidationError, fields, post_load, validate

Direction = Literal["input", "output"]
SlotType = Literal["string", "number", "boolean", "object", "array", "any"]

MANIFEST = "manifest.json"
SLOTS = 32  # of a template
SLOT_CONNECTIONS = 64  # of one slot, docs/widgets.md
# Features of a frame that a template may ask for; each goes into the frame's `allow`.
PERMISSIONS = (
    "autoplay", "camera", "clipboard-read", "clipboard-write", "display-capture", "fullscreen",
    "geolocation", "microphone",
)  # fmt: skip
HANDLE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
SLOT_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
ENDPOINT = re.compile(r"[a-z0-9]+([-/][a-z0-9]+)*")
# A source of a Content-Security-Policy. It has no space, comma or semicolon, which end a source.
IMAGE_SOURCE = re.compile(
    r"https://(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?"
)


@dataclass(frozen=True)
class Slot:
    """A named place where values leave or enter a widget.

    `type` is the type of the payload: of `value.value` where that is a scalar or a list, else of
    the value itself. `schema` is a JSON Schema of the same payload. An input takes one connection
    unless `max_connections` allows more. The canvas stores the last value if `persist` is true.
    """

    id: str
    direction: Direction
    type: SlotType
    title: str
    schema: Mapping[str, Any] | None = None
    max_connections: int | None = None
    persist: bool = False


@dataclass(frozen=True)
class WidgetTemplate:
    """A kind of widget. `folder` has its files.

    `icon` is a short text, or the name of an SVG file in the folder. `endpoints` are the names
    that its widgets may call, `collections` those that they read, `images` the https sources of
    their pictures, `permissions` the features of their frames. `size` is the first width and
    height in CSS pixels. With `standalone`, the template has a page of its own at `/app/<handle>`.
    `version` rises when slots change.
    """

    handle: str
    folder: Path
    name: str
    icon: str
    summary: str
    slots: tuple[Slot, ...] = ()
    endpoints: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()
    standalone: bool = True
    size: tuple[int, int] = (320, 240)
    version: int = 1

    def slot(self, id: str) -> Slot | None:
        return next((slot for slot in self.slots if slot.id == id), None)


def _matching(pattern: re.Pattern[str], what: str, most: int = 128) -> list[validate.Validator]:
    return [
        validate.Regexp(re.compile(f"(?:{pattern.pattern})\\Z"), error=f"Must be {what}."),
        validate.Length(max=most),
    ]


def _unique(values: list[Any]) -> None:
    if len(set(values)) < len(values):
        raise ValidationError("Must not repeat a value.")


def _list_of(field: fields.Field, most: int) -> fields.List:
    limits: list[Callable[[Any], Any]] = [validate.Length(max=most), _unique]
    return fields.List(field, load_default=list, validate=limits)


class SlotSchema(Schema):
    class Meta:
        unknown = RAISE

    id = fields.String(required=True, validate=_matching(SLOT_ID, "letters, digits, - or _"))
    direction = fields.String(required=True, validate=validate.OneOf(["input", "output"]))
    type = fields.String(
        required=True,
        validate=validate.OneOf(["string", "number", "boolean", "object", "array", "any"]),
    )
    title = fields.String(required=True, validate=validate.Length(1, 60))
    schema = fields.Dict(keys=fields.String(), load_default=None)
    maxConnections = fields.Integer(
        load_default=None, strict=True, validate=validate.Range(1, SLOT_CONNECTIONS)
    )
    persist = fields.Boolean(load_default=False, truthy={True}, falsy={False})

    @post_load
    def make(self, data: dict[str, Any], **_: Any) -> Slot:
        return Slot(max_connections=data.pop("maxConnections"), **data)


class SizeSchema(Schema):
    class Meta:
        unknown = RAISE

    width = fields.Integer(required=True, strict=True, validate=validate.Range(120, 2000))
    height = fields.Integer(required=True, strict=True, validate=validate.Range(80, 2000))

    @post_load
    def make(self, data: dict[str, int], **_: Any) -> tuple[int, int]:
        return data["width"], data["height"]


class ManifestSchema(Schema):
    """The object in `manifest.json`."""

    class Meta:
        unknown = RAISE

    name = fields.String(required=True, validate=validate.Length(1, 60))
    icon = fields.String(required=True, validate=validate.Length(1, 60))
    summary = fields.String(required=True, validate=validate.Length(1, 200))
    slots = fields.List(
        fields.Nested(SlotSchema), load_default=list, validate=validate.Length(max=SLOTS)
    )
    endpoints = _list_of(fields.String(validate=_matching(ENDPOINT, "the name of an endpoint")), 64)
    collections = _list_of(
        fields.String(validate=_matching(HANDLE, "the name of a collection")), 16
    )
    images = _list_of(
        fields.String(validate=_matching(IMAGE_SOURCE, "an https source, such as https://a.b/c/")),
        16,
    )
    permissions = _list_of(fields.String(validate=validate.OneOf(PERMISSIONS)), len(PERMISSIONS))
    standalone = fields.Boolean(load_default=True, truthy={True}, falsy={False})
    size = fields.Nested(SizeSchema, load_default=(320, 240))
    version = fields.Integer(load_default=1, strict=True, validate=validate.Range(1))


def read(folder: Path) -> WidgetTemplate:
    """The template in a folder; the folder's name is its handle.

    Raises ValueError, which names the file and the key at fault.
    """
    path = folder / MANIFEST
    if not HANDLE.fullmatch(folder.name) or len(folder.name) > 64:
        raise ValueError(f"{folder}: the name of a template's folder must be like my-widget")
    try:
        data = ManifestSchema().load(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ValueError(f"{path}: can't be read ({type(error).__name__})") from None
    except ValidationError as error:
        raise ValueError(f"{path}: {'; '.join(_lines(error.normalized_messages()))}") from None
    except ValueError:
        raise ValueError(f"{path}: is not valid JSON") from None
    lists = {name: tuple(value) for name, value in data.items() if isinstance(value, list)}
    template = WidgetTemplate(handle=folder.name, folder=folder, **{**data, **lists})
    if wrong := _faults(template):
        raise ValueError(f"{path}: {'; '.join(wrong)}")
    return template


def _lines(messages: Mapping[Any, Any], at: str = "") -> Iterator[str]:
    """Nested messages as lines such as `slots.0.type: Must be one of: …`."""
    for key, value in messages.items():
        if isinstance(value, Mapping):
            yield from _lines(value, f"{at}{key}.")
        else:
            yield f"{at}{key}: {' '.join(value)}"


def _faults(template: WidgetTemplate) -> list[str]:
    """What is wrong between keys, and between the manifest and the other files."""
    wrong = []
    ids = [slot.id for slot in template.slots]
    if len(set(ids)) < len(ids):
        wrong.append("slots: must not repeat an id")
    if not (template.folder / "widget.js").is_file():
        wrong.append("widget.js: is missing beside it")
    if template.icon.endswith(".svg"):
        if "/" in template.icon or not (template.folder / template.icon).is_file():
            wrong.append(f"icon: {template.icon} is missing beside it")
    elif len(template.icon) > 8:
        wrong.append("icon: must have at most 8 characters, or be the name of an .svg file")
    return wrong
