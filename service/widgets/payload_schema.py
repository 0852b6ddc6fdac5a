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


class PayloadSchema(Schema):
    class Meta:
        unknown = INCLUDE

    type = fields.Raw(validate=_check_type)
    required = fields.List(fields.String())
    properties = fields.Dict(keys=fields.String(), values=fields.Nested(lambda: PayloadSchema()))
    items = fields.Nested(lambda: PayloadSchema())
    enum = fields.List(fields.Raw(allow_none=True), validate=validate.Length(1))
