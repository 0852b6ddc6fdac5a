"""The TypeScript types of an app's collections: of their records, and of request bodies."""

from collections.abc import Iterable, Iterator
from typing import Any

from service.records.collection import Action, Collection, Column
from service.web.typescript import STEP, quote, type_of

HEAD = """\
// The records of all collections, by name.
// `flask --app wsgi collections types` prints this from the declarations.

/** A record as it is read. `data` lacks columns without a value; times are in ISO 8601. */
export interface RecordOf<Name extends keyof Collections> {
  recordId: string;
  data: Collections[Name]['data'];
  createdAt: string;
  updatedAt: string;
}

/** `create` and `update` are bodies: null is no value there, and `never` what no role may. */
export interface Collections {
"""
TYPES = {"datetime": "string"}  # other types have their names in JSON Schema


def declarations(collections: Iterable[Collection]) -> Iterator[str]:
    """Yield the file in pieces: the head, one piece for each collection, the end."""
    yield HEAD
    for collection in sorted(collections, key=lambda one: one.name):
        yield _collection(collection)
    yield "}\n"


def _collection(collection: Collection) -> str:
    read = {column.name: _type(column) for column in collection.columns}
    sure = [column.name for column in collection.columns if _is_sure(collection, column)]
    writable = [
        column
        for column in collection.columns
        if not column.fixed and column.name != collection.owner
    ]
    written = {one.name: _type(one) if one.required else _or_null(one) for one in writable}
    needed = [column.name for column in writable if column.required and column.roles is None]
    types = {
        "data": _object(read, sure),
        "create": _object(written, needed) if _may(collection, "create") else "never",
        "update": _object(written, []) if _may(collection, "update") else "never",
    }
    lines = "".join(f"{STEP * 2}{name}: {one};\n" for name, one in types.items())
    return f"{STEP}{quote(collection.name)}: {{\n{lines}{STEP}}};\n"


def _type(column: Column) -> dict[str, Any]:
    return {"type": TYPES.get(column.type, column.type)}


def _or_null(column: Column) -> dict[str, Any]:
    return {"type": [TYPES.get(column.type, column.type), "null"]}


def _is_sure(collection: Collection, column: Column) -> bool:
    """Return whether every record has a value, and every reader of the record may read it."""
    return column.roles is None and (column.required or column.name == collection.owner)


def _may(collection: Collection, action: Action) -> bool:
    return any(rules.get(action) for rules in collection.permissions.values())


def _object(properties: dict[str, Any], required: list[str]) -> str:
    if not properties:
        return "Record<string, never>"
    schema = {"type": "object", "properties": properties, "required": required}
    return type_of(schema, STEP * 2)
