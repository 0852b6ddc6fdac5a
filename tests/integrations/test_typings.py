"""The TypeScript types of endpoints say what the schemas say."""

import pytest

from service.integrations import everything
from service.integrations.declare.catalog import Catalog
from service.integrations.reference.typings import declarations, type_of
from tests.integrations.acme import ENDPOINTS

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"type": "integer", "minimum": 1}, "number"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"enum": ["it's", 'a "b"', 3, None]}, """'it\\'s' | 'a "b"' | 3 | null"""),
        ({"const": True}, "true"),
        ({"type": "array", "items": TEXT}, "string[]"),
        ({"type": "array", "items": {"type": ["number", "null"]}}, "Array<number | null>"),
        ({"type": "object", "additionalProperties": TEXT}, "Record<string, string>"),
        ({"type": "object", "additionalProperties": False}, "Record<string, never>"),
        ({"anyOf": [TEXT, {"type": "null"}]}, "string | null"),
        ({}, "unknown"),
    ],
)  # fmt: skip
def test_a_schema_is_written_as_a_type(schema, written):
    assert type_of(schema) == written


def test_what_is_not_required_may_be_left_out():
    properties = {"a": TEXT, "b-c": TEXT}
    schema = {"type": "object", "properties": properties, "required": ["a"]}
    assert type_of(schema) == "{ a: string; 'b-c'?: string }"


def test_a_description_is_a_comment_that_cannot_end_early():
    about = {"type": "string", "description": "A glob such as src/**/*.py", "default": "x"}
    written = type_of({"type": "object", "properties": {"path": about}})
    assert written == "{\n  /** A glob such as src/** /*.py @default 'x' */\n  path?: string;\n}"


def test_every_name_has_a_type_and_an_alias_has_that_of_its_endpoint():
    text = "".join(declarations(everything.catalog()))
    names = everything.catalog().names
    assert [name for name in names if f"\n  '{name}': " not in text] == []
    assert "'send-email': Endpoints['cloudsuite/mail-send'];" in text
    assert text.count("get: true") == sum(item.access.gets for item in everything.catalog())


def test_the_oauth_required_payload_is_in_no_type():
    assert "requiresOAuth" not in "".join(declarations(everything.catalog()))


def test_endpoints_of_an_extension_have_types_too():
    text = "".join(declarations(Catalog(ENDPOINTS)))
    assert [item.name for item in ENDPOINTS if f"'{item.name}'" not in text] == []
