"""The schemas and headers of errors in the OpenAPI document, from the exception tree."""

from collections.abc import Iterator
from typing import Any

from service.web.errors import ServiceError

# Of responses that may succeed: many have them, so they are components.
SHARED_HEADERS: dict[str, dict[str, Any]] = {
    "X-Request-Id": {"schema": {"type": "string"}, "description": "Is in every log line."},
    "X-Cache": {
        "schema": {"type": "string", "const": "hit"},
        "description": "The answer was cached by an earlier call.",
    },
    "Age": {
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
        "description": "Seconds since the answer was cached, with `X-Cache`.",
    },
}
HEADERS: dict[str, dict[str, Any]] = {
    "Retry-After": {"schema": {"type": "string", "pattern": "^[0-9]+$"}, "description": "Seconds."},
    "WWW-Authenticate": {"schema": {"type": "string", "pattern": "^Bearer"}},
    "Upgrade": {"schema": {"type": "string"}},
    "Sec-WebSocket-Version": {"schema": {"type": "string"}},
}
NAMES = {"type": "array", "items": {"type": "string"}}

# By code: the fields besides `error` and `message`. Fields marked with `!` are always present.
FACTS: dict[str, dict[str, Any]] = {
    "invalid_request": {"details": {"type": "object", "description": "Reasons, by field."}},
    "invalid_model": {"allowed!": NAMES},
    "insufficient_credits": {
        "needed!": {"type": "number"},
        "available": {"type": "number"},
        "resetsAt": {"type": "string", "format": "date-time", "description": "Of the budget."},
    },
    "unknown_endpoint": {"nearest!": NAMES},
    "conflict": {"outcome": {"type": "string", "const": "unknown"}},
    "too_large": {"limit": {"type": "integer"}},
    "upstream_provider_error": {"upstreamStatus": {"type": ["integer", "null"]}},
    "not_configured": {"setting!": {"type": "string"}},
}


def schemas() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the schema of every error with its name, in both forms."""
    for error in sorted(_tree(ServiceError), key=name_of):
        yield name_of(error), _schema(error, {}, [])
        success = {"type": "boolean", "const": False}
        yield f"Integration{name_of(error)}", _schema(error, {"success": success}, ["success"])


def schema_of(error: type[ServiceError], is_integration: bool) -> dict[str, str]:
    """Return a reference to a schema, with `is_integration` to that of `/api/integrations`."""
    prefix = "Integration" if is_integration else ""
    return {"$ref": f"#/components/schemas/{prefix}{name_of(error)}"}


def name_of(error: type[ServiceError]) -> str:
    return "Refusal" if error is ServiceError else error.__name__


def _tree(error: type[ServiceError]) -> set[type[ServiceError]]:
    return {error}.union(*map(_tree, error.__subclasses__()))


def _schema(error: type[ServiceError], first: dict[str, Any], needed: list[str]) -> dict[str, Any]:
    facts = FACTS.get(error.code, {})
    # The root of the tree stands for any error, including kinds that are added later.
    code = {"type": "string", **({} if error is ServiceError else {"const": error.code})}
    properties = {name.rstrip("!"): schema for name, schema in facts.items()}
    required = [name[:-1] for name in facts if name.endswith("!")]
    return {
        "type": "object",
        "required": [*needed, "error", "message", *required],
        "properties": {**first, "error": code, "message": {"type": "string"}, **properties},
    }
