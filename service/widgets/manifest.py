"""Read the `manifest.json` of a template's folder.

Source: docs/widgets.md.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, post_load, validate

from service.integrations.declare.catalog import ENDPOINT_NAME
from service.records.declaration_check import NAME as COLLECTION_NAME
from service.web.fields import JsonBoolean
from service.widgets.payload_schema import PayloadSchema
from service.widgets.settings import SETTINGS, SettingSchema
from service.widgets.template import (
    DIRECTIONS,
    PERMISSIONS,
    SLOT_CONNECTIONS,
    SLOT_TYPES,
    Slot,
    WidgetTemplate,
)
from service.widgets.validation_messages import flat_messages

MANIFEST = "manifest.json"
SLOTS = 32  # of a template
HANDLE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
SLOT_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
PICTURE = re.compile(r"\.(png|jpe?g|gif|webp|ico)\Z", re.IGNORECASE)
# A source in a Content-Security-Policy, without the characters that end one: space, comma, ";".
IMAGE_SOURCE = re.compile(
    r"https://(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?"
)


def _matching(pattern: re.Pattern[str], what: str, most: int = 128) -> list[validate.Validator]:
    return [
        validate.Regexp(re.compile(f"(?:{pattern.pattern})\\Z"), error=f"Must be {what}."),
        validate.Length(max=most),
    ]


def _unique(values: list[Any]) -> None:
    if len(set(values)) < len(values):
        raise ValidationError("Must not repeat a value.")


def _list_of(field: fields.Field[str], most: int) -> fields.List[str]:
    limits: list[Callable[[Any], Any]] = [validate.Length(max=most), _unique]
    return fields.List(field, load_default=list, validate=limits)


class SlotSchema(Schema):
    class Meta:
        unknown = RAISE

    id = fields.String(required=True, validate=_matching(SLOT_ID, "letters, digits, - or _"))
    direction = fields.String(required=True, validate=validate.OneOf(DIRECTIONS))
    type = fields.String(required=True, validate=validate.OneOf(SLOT_TYPES))
    title = fields.String(required=True, validate=validate.Length(1, 60))
    schema = fields.Nested(PayloadSchema, load_default=None)
    maxConnections = fields.Integer(
        load_default=None, strict=True, validate=validate.Range(1, SLOT_CONNECTIONS)
    )
    persist = JsonBoolean(load_default=False)

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
    endpoints = _list_of(
        fields.String(validate=_matching(ENDPOINT_NAME, "the name of an endpoint")), 64
    )
    collections = _list_of(
        fields.String(validate=_matching(COLLECTION_NAME, "the name of a collection")), 16
    )
    images = _list_of(
        fields.String(validate=_matching(IMAGE_SOURCE, "an https source, such as https://a.b/c/")),
        16,
    )
    permissions = _list_of(fields.String(validate=validate.OneOf(PERMISSIONS)), len(PERMISSIONS))
    settings = fields.Dict(
        keys=fields.String(validate=_matching(SLOT_ID, "letters, digits, - or _", 40)),
        values=fields.Nested(SettingSchema),
        load_default=dict,
        validate=validate.Length(max=SETTINGS),
    )
    standalone = JsonBoolean(load_default=True)
    size = fields.Nested(SizeSchema, load_default=(320, 240))
    version = fields.Integer(load_default=1, strict=True, validate=validate.Range(1))


def read(folder: Path) -> WidgetTemplate:
    """Return the template in a folder. The folder's name is its handle.

    Raises ValueError, which names the file and the key at fault.
    """
    path = folder / MANIFEST
    if not HANDLE.fullmatch(folder.name) or len(folder.name) > 64:
        raise ValueError(f"{folder}: the name of a template's folder must be like my-widget")
    try:
        data = ManifestSchema().load(_parse(path.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise ValueError(f"{path}: can't be read ({type(error).__name__})") from None
    except ValidationError as error:
        messages = flat_messages(error.normalized_messages())
        wrong = [f"{_place(key)}: {text}" for key, text in messages]
        raise ValueError(f"{path}: {'; '.join(wrong)}") from None
    except ValueError as error:
        raise ValueError(f"{path}: is not valid JSON ({error})") from None
    lists = {name: tuple(value) for name, value in data.items() if isinstance(value, list)}
    template = WidgetTemplate(handle=folder.name, folder=folder, **{**data, **lists})
    if wrong := _faults(template):
        raise ValueError(f"{path}: {'; '.join(wrong)}")
    return template


def _parse(text: str) -> Any:
    """Return the object in a JSON text. Raises ValueError, `ValidationError` for another value."""
    if not isinstance(value := json.loads(text), dict):
        raise ValidationError({"manifest": ["Must be an object."]})
    return value


def _place(path: str) -> str:
    """Return a path without the word that marshmallow puts between a key and its value."""
    return re.sub(r"\b((?:settings|properties)\.[^.]+)\.value\b", r"\1", path)


def _faults(template: WidgetTemplate) -> list[str]:
    """Return contradictions between keys, and between the manifest and the other files."""
    wrong = []
    ids = [slot.id for slot in template.slots]
    if len(set(ids)) < len(ids):
        wrong.append("slots: must not repeat an id")
    for number, slot in enumerate(template.slots):
        if slot.persist and slot.direction == "input":
            wrong.append(f"slots.{number}.persist: is for outputs only")
        if not slot.is_possible:
            wrong.append(
                f"slots.{number}.schema.type: no value has this type and the slot's, {slot.type}"
            )
    if not (template.folder / "widget.js").is_file():
        wrong.append("widget.js: is missing in the folder")
    if template.icon.endswith(".svg"):
        if "/" in template.icon or not (template.folder / template.icon).is_file():
            wrong.append(f"icon: {template.icon} is missing in the folder")
    elif len(template.icon) > 8 or PICTURE.search(template.icon):
        wrong.append("icon: must have at most 8 characters, or be the name of an .svg file")
    return wrong
