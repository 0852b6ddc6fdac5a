"""A minimal and a full valid body for every endpoint: by its own schema, with these values."""

from collections.abc import Iterator
from typing import Any

from service.integrations.catalog import Endpoint
from service.integrations.vendors.exa.examples import RUN
from service.openapi import json_schema

VALUES: dict[str, Any] = {
    "author": "octocat",
    "category": "news",
    "city": "Berlin",
    "countryCode": "DE",
    "endPublishedDate": "2026-02-01T00:00:00Z",
    "excludeDomains": ["example.org"],
    "includeDomains": ["example.com"],
    "labels": ["bug", "help wanted"],
    "language": "en",
    "outputSchema": {"type": "object", "properties": {"answer": {"type": "string"}}},
    "owner": "octocat",
    "path": "README.md",
    "previousRunId": RUN["id"],
    "ref": "main",
    "repo": "Hello-World",
    "since": "2026-01-01T00:00:00+02:00",
    "startPublishedDate": "2026-01-01T00:00:00Z",
    "until": "2026-02-01T00:00:00Z",
    "url": "https://example.com/page?a=1",
    "urls": ["https://example.com/page"],
    "userLocation": "DE",
}
# For rules across parameters: what the least needs beside the required, what the most leaves out.
LEAST = {"weather-forecast": ["city"], "current-weather": ["city"]}
WITHOUT = {
    "weather-forecast": ["latitude", "longitude"],
    "current-weather": ["latitude", "longitude"],
}


def minimal(endpoint: Endpoint) -> dict[str, Any]:
    schema = json_schema(endpoint.schema)
    needed = [*schema.get("required", ()), *LEAST.get(endpoint.name, ())]
    return {name: _value(name, schema["properties"][name]) for name in needed}


def full(endpoint: Endpoint) -> dict[str, Any]:
    properties = json_schema(endpoint.schema)["properties"]
    left_out = WITHOUT.get(endpoint.name, ())
    return {n: _value(n, one) for n, one in properties.items() if n not in left_out}


def variants(endpoint: Endpoint) -> Iterator[dict[str, Any]]:
    """The minimal body, the full one, and each value that a parameter has a list of."""
    yield minimal(endpoint)
    yield full(endpoint)
    for name, one in json_schema(endpoint.schema)["properties"].items():
        choices = [True, False] if one["type"] == "boolean" else one.get("enum", ())
        for value in choices:
            yield {**minimal(endpoint), name: value}


def _value(name: str, schema: dict[str, Any]) -> Any:
    if name in VALUES:
        return VALUES[name]
    if "enum" in schema:
        return schema["enum"][-1]
    match schema["type"]:
        case "boolean":
            return True
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "array":
            return [_value(name, schema["items"])]
        case "string":
            return "a" * max(schema.get("minLength", 1), 3)
    return {}
