"""Make the schemas of bodies and answers from the declarations of endpoints, also for OpenAPI."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from service.integrations.declare.catalog import Catalog
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.task import LONGEST_WAIT
from service.web.json_schemas import json_schema
from service.web.openapi import Instance, header_reference

DIALECT = "https://json-schema.org/draft/2020-12/schema"
WAIT_DESCRIPTION = "Seconds to hold the call open for the result."
KEPT_ANSWER_HEADERS = {name: header_reference(name) for name in ("X-Cache", "Age")}
CONSENT = {
    "type": "object",
    "description": "The user has to grant a scope, at `authUrl`.",
    "properties": {
        "requiresOAuth": {"const": True},
        "provider": {"type": "string"},
        "scopes": {"type": "array", "items": {"type": "string"}},
        "authUrl": {"type": "string"},
    },
    "required": ["requiresOAuth", "provider", "scopes", "authUrl"],
    "additionalProperties": False,
}


def schemas_by_name(
    catalog: Catalog, title: str, schema: Callable[[Endpoint], Mapping[str, Any]]
) -> dict[str, Any]:
    """Return one JSON Schema document, with every endpoint's schema under each of its names."""
    schemas = {item.name: schema(item) for item in catalog}
    named = {name: schemas[item.name] for name, item in catalog.names.items()}
    return {"$schema": DIALECT, "title": title, "type": "object", "properties": named}


@cache
def body_schema(item: Endpoint) -> dict[str, Any]:
    """Return the schema of a call's body."""
    schema = dict(json_schema(item.parameters))
    schema["title"] = item.summary
    if item.job:
        bounds = {"minimum": 0, "maximum": LONGEST_WAIT, "default": item.job.wait}
        wait = {"type": "number", **bounds, "description": WAIT_DESCRIPTION}
        schema["properties"] = {**schema["properties"], "wait": wait}
    return schema


@cache
def answer_schema(item: Endpoint) -> dict[str, Any]:
    """Return the schema of an envelope's `data`: a success, or the OAuth-required payload."""
    schema = {"title": item.summary, **(_job_schema(item) if item.job else item.gives.schema())}
    return {"anyOf": [schema, CONSENT]} if item.scope else schema


def _job_schema(item: Endpoint) -> dict[str, Any]:
    """Return the schema of a job's state. A failed job is an error instead."""
    assert item.job
    return {
        "type": "object",
        "properties": {
            "jobId": {"type": "string"},
            "status": {"enum": ["running", "done"]},
            **item.job.facts.schema()["properties"],
            "result": item.gives.schema(),
        },
        "required": ["jobId", "status"],
        "additionalProperties": False,
    }


def posts(catalog: Catalog) -> Iterator[Instance]:
    """Yield the POST of every endpoint, for the OpenAPI document."""
    for name, item in catalog.names.items():
        content = {"application/json": {"schema": _divided(body_schema(item))}}
        body = {"requestBody": {"required": item.needs_parameters, "content": content}}
        yield _instance(name, item, body)


def gets(catalog: Catalog) -> Iterator[Instance]:
    """Yield the GET of every endpoint whose call anybody may repeat."""
    for name, item in catalog.names.items():
        if item.access.gets:
            schema = _divided(body_schema(item))
            parameters = [
                {"in": "query", "name": one, "required": one in schema.get("required", ())}
                | {"schema": of_one}
                for one, of_one in schema["properties"].items()
            ]
            query = {"parameters": parameters}
            yield _instance(name, item, query)


def _divided(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body's schema without enumerations that mix booleans with texts.

    Generators of clients refuse such an enumeration, and leave out the whole operation.
    """
    properties = dict(schema["properties"])
    for name, one in properties.items():
        if one.get("type") == ["boolean", "string"] and "enum" in one:
            texts = [value for value in one["enum"] if isinstance(value, str)]
            rest = {key: value for key, value in one.items() if key not in ("type", "enum")}
            either = [{"type": "boolean"}, {"type": "string", "enum": texts}]
            properties[name] = {**rest, "anyOf": either}
    return {**schema, "properties": properties}


def _instance(name: str, item: Endpoint, facts: Mapping[str, Any]) -> Instance:
    kept = KEPT_ANSWER_HEADERS if item.cache else {}
    return Instance({"endpoint": name}, item.summary, _envelope(item), kept, facts)


def _envelope(item: Endpoint) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"success": {"const": True}, "data": answer_schema(item)},
        "required": ["success", "data"],
        "additionalProperties": False,
    }
