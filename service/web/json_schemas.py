"""Make JSON Schemas from marshmallow's, for the OpenAPI document and for endpoints."""

from collections.abc import Mapping
from typing import Any

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import Schema
from marshmallow.fields import Field

OPENAPI = "3.1.0"  # the version of OpenAPI, which uses JSON Schema 2020-12
CONTENT = ("contentEncoding", "contentMediaType")


class Converter(OpenAPIConverter):
    """The plugin's converter, with the option `least` of `Meta`: how many fields must be given."""

    def schema2jsonschema(self, schema: Schema) -> dict[str, Any]:
        converted = super().schema2jsonschema(schema)
        least = least_fields(schema)
        return {**converted, "minProperties": least} if least else converted


class Plugin(MarshmallowPlugin):
    Converter = Converter


def least_fields(schema: Schema) -> int:
    return getattr(schema.Meta, "least", 0)


def json_schema(schema: Schema) -> Mapping[str, Any]:
    """Return the JSON Schema 2020-12 of an object without unknown keys.

    Nested schemas are inlined, because there is no document for references to point into.
    """
    resolver: Any = lambda schema: None  # noqa: E731 - the plugin's type lacks None, which inlines
    plugin = Plugin(schema_name_resolver=resolver)
    APISpec(title="", version="", openapi_version=OPENAPI, plugins=[plugin])
    assert plugin.converter  # set by APISpec
    plugin.converter.add_attribute_function(_content_keywords)
    converted = plugin.converter.schema2jsonschema(schema)
    return {"type": "object", "properties": {}, **converted, "additionalProperties": False}


def _content_keywords(converter: Any, field: Field[Any], **kwargs: Any) -> dict[str, Any]:
    """Return the keywords for the content of a text, which the plugin does not know."""
    return {name: field.metadata[name] for name in CONTENT if name in field.metadata}
