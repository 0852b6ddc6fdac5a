"""The schemas and headers of refusals in the OpenAPI document, from the exception tree."""

from collections.abc import Iterator
from typing import Any

from service.errors import ServiceError

REQUEST_ID = {"schema": {"type": "string"}, "description": "Stands in every log line, too."}
HEADERS: dict[str, dict[str, Any]] = {
    "Retry-After": {"schema": {"type": "string", "pattern": "^[0-9]+$"}, "description": "Seconds."},
    "WWW-Authenticate": {"schema": {"type": "string", "const": "Bearer"}},
    "Upgrade": {"schema": {"type": "string"}},
    "Sec-WebSocket-Version": {"schema": {"type": "string"}},
}
NAMES = {"type": "array", "items": {"type": "string"}}

# By code: the facts beside `error` and `message`. Those marked are always there.
FACTS: dict[str, dict[str, Any]] = {
    "invalid_request": {"details": {"type": "object", "description": "Reasons, by field."}},
    "invalid_model": {"allowed!": NAMES},
    "insufficient_credits": {"needed!": {"type": "number"}, "available": {"type": "number"}},
    "unknown_endpoint": {"nearest!": NAMES},
    "conflict": {"outcome": {"type": "string", "const": "unknown"}},
    "too_large": {"limit": {"type": "integer"}},
    "upstream_provider_error": {"upstreamStatus": {"type": ["integer", "null"]}},
    "not_configured": {"setting!": {"type": "string"}},
}


def schemas() -> Iterator[tuple[str, dict[str, Any]]]:
    """The schema of every refusal by its name, in both forms."""
    for error in sorted(_tree(ServiceError), key=name_of):
        yield name_of(error), _schema(error, {}, [])
        success = {"type": "boolean", "const": False}
        yield f"Integration{name_of(error)}", _schema(error, {"success": success}, ["success"])


def schema_of(error: type[ServiceError], ours: bool) -> dict[str, str]:
    """A reference to a schema; `ours` means the form of `/api/integrations`."""
    return {"$ref": f"#/components/schemas/{'Integration' if ours else ''}{name_of(error)}"}


def name_of(error: type[ServiceError]) -> str:
    return "Refusal" if error is ServiceError else error.__name__


def _tree(error: type[ServiceError]) -> set[type[ServiceError]]:
    return {error}.union(*map(_tree, error.__subclasses__()))


def _schema(error: type[ServiceError], front: dict[str, Any], needed: list[str]) -> dict[str, Any]:
    facts = FACTS.get(error.code, {})
    # The root of the tree stands for any refusal, also for one of a kind that is new.
    code = {"type": "string", **({} if error is ServiceError else {"const": error.code})}
    properties = {name.rstrip("!"): schema for name, schema in facts.items()}
    required = [name[:-1] for name in facts if name.endswith("!")]
    return {
        "type": "object",
        "required": [*needed, "error", "message", *required],
        "properties": {**front, "error": code, "message": {"type": "string"}, **properties},
    }
