"""The JSON Schema of a slot's payload, as far as a canvas checks it.

Other keywords are kept, but nothing checks them; slot-types.js checks values.
Source: docs/widgets.md.
"""

from typing import Any

from marshmallow import INCLUDE, Schema, ValidationError, fields, validate

JSON_TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")


def _check_type(value: Any) -> None:
    names = value if isinstance(value, list) else [value]
    if not names or any(name not in JSON_TYPES for name in names):
        raise ValidationError(f"Must be one of: {', '.join(JSON_TYPES)}; or a list of them.")


class Subschema(fields.Nested):
    """A schema inside of another one: an object, or a boolean for any value and for none."""

    def _deserialize(self, value: Any, *facts: Any, **more: Any) -> Any:
        return value if isinstance(value, bool) else super()._deserialize(value, *facts, **more)


class PayloadSchema(Schema):
    class Meta:
        unknown = INCLUDE

    type = fields.Raw(validate=_check_type)
    required = fields.List(fields.String())
    properties = fields.Dict(keys=fields.String(), values=Subschema(lambda: PayloadSchema()))
    items = Subschema(lambda: PayloadSchema())
    enum = fields.List(fields.Raw(allow_none=True), validate=validate.Length(1))
