"""The settings that a template declares, and checks of a widget's values for them.

A setting is declared by a JSON Schema with the keywords of `SettingSchema` and a default.
Source: docs/widgets.md.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, validate, validates_schema

TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
}
SETTINGS = 20  # of a template
TEXT_LIMIT = 2000  # characters of a value without `maxLength`

Declared = Mapping[str, Mapping[str, Any]]


class SettingSchema(Schema):
    """One setting in a manifest."""

    class Meta:
        unknown = RAISE

    type = fields.String(required=True, validate=validate.OneOf(tuple(TYPES)))
    title = fields.String(required=True, validate=validate.Length(1, 60))
    description = fields.String(validate=validate.Length(1, 200))
    default = fields.Raw(required=True)
    enum = fields.List(fields.Raw(), validate=validate.Length(1, 50))
    minimum = fields.Float()
    maximum = fields.Float()
    maxLength = fields.Integer(strict=True, validate=validate.Range(1, TEXT_LIMIT))

    @validates_schema
    def check_default(self, data: dict[str, Any], **_: Any) -> None:
        if text := wrong_value(data, data["default"]):
            raise ValidationError(text, "default")


def setting_faults(declared: Declared, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the name of each wrong value, and its fault."""
    for name, value in values.items():
        if name not in declared:
            known = ", ".join(declared) or "none"
            yield name, f"The template has no setting “{name}”: it has {known}."
        elif text := wrong_value(declared[name], value):
            yield name, text


def wrong_value(setting: Mapping[str, Any], value: Any) -> str | None:
    """Return why a setting can't have a value, or None."""
    kind = setting["type"]
    if not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        return f"Must be of type {kind}."
    if "enum" in setting and value not in setting["enum"]:
        return f"Must be one of: {', '.join(str(one) for one in setting['enum'])}."
    if isinstance(value, str) and len(value) > (most := setting.get("maxLength", TEXT_LIMIT)):
        return f"Must have at most {most} characters."
    if isinstance(value, int | float) and value < setting.get("minimum", value):
        return f"Must be at least {setting['minimum']:g}."
    if isinstance(value, int | float) and value > setting.get("maximum", value):
        return f"Must be at most {setting['maximum']:g}."
    return None


def schema_of(declared: Declared) -> dict[str, Any]:
    """Return the JSON Schema of a widget's `settings`."""
    properties = {name: dict(setting) for name, setting in declared.items()}
    return {"type": "object", "properties": properties, "additionalProperties": False}
