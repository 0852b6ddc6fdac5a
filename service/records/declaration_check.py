"""Find mistakes in the declaration of a collection, so that they stop the start.

Later, a mistake would answer a correct request with 500, or silently deny or grant a right.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from service.auth.permits import SCOPES
from service.records.collection import TEXT_LIMIT, Collection, Column, ColumnType
from service.records.models import Record
from service.records.permissions import ACTIONS

RESERVED = ("socket",)  # the name of a route
RESERVED_COLUMNS = {"or", "data", "recordId", "createdAt", "updatedAt"}  # fields of the envelope
NAME = re.compile(r"(?!\.{1,2}\Z)[^/\x00-\x1f\x7f]{1,100}")  # one segment of a path
NAME_RULE = "the name must be 1 to 100 characters, without '/' and control characters"
COLUMN = re.compile(r"(?!-)[^\x00-\x1f\x7f]{1,100}")  # `sort` takes a name after "-"
COLUMN_RULE = "the name must have at most 100 printable characters, and not begin with '-'"
KEY = re.compile(r"[ !#-\[\]-~]+")  # SQLite can't find a JSON key that is written with escapes
KEY_RULE = "the name must be ASCII, without '\"' and '\\'"
COMMON = ("seq", "created_at", "updated_at")  # of every model
TYPES: tuple[str, ...] = get_args(ColumnType)


def refuse_mistakes(collection: Collection) -> None:
    """Raise ValueError for the first mistake. It names the collection, the column and the rule."""
    for mistake in _mistakes(collection):
        raise ValueError(f"collection {collection.name!r}{mistake}")


def _mistakes(collection: Collection) -> Iterator[str]:
    """Yield each mistake, as the end of a sentence that begins with the collection."""
    yield from _of_name(collection.name)
    yield from _of_columns(collection)
    yield from _of_model(collection)
    if isinstance(collection.permissions, Mapping):
        for role, rules in collection.permissions.items():
            yield from (f", role {role!r}: {mistake}" for mistake in _of_rules(role, rules))
    else:
        yield f": permissions must be a dict by role, not {collection.permissions!r:.80}"
    if not _are_among(SCOPES, collection.open_to):
        yield f": open_to must be a tuple of {_listed(SCOPES)}, not {collection.open_to!r:.80}"


def _of_name(name: Any) -> Iterator[str]:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        yield f": {NAME_RULE}"
    elif name in RESERVED:
        yield ": the name is reserved for a route"


def _of_columns(collection: Collection) -> Iterator[str]:
    columns = collection.columns
    if not isinstance(columns, tuple | list) or not all(isinstance(c, Column) for c in columns):
        yield f": columns must be a tuple of Column, not {columns!r:.80}"
        return
    names = [column.name for column in columns]
    for column in columns:
        if names.count(column.name) > 1:
            yield f": the column {column.name!r} is declared twice"
        yield from (
            f", column {column.name!r}: {mistake}" for mistake in _of_column(collection, column)
        )
    if collection.owner != "recordId" and collection.owner not in names:
        yield (
            f": no column is named {collection.owner!r}, "
            "which is the owner's unless `owner` names another"
        )


def _of_model(collection: Collection) -> Iterator[str]:
    model, is_shared = collection.model, collection.model is Record
    if is_shared and collection.owner == "recordId":
        yield ": the owner can be 'recordId' only with a model of its own"
    if is_shared and collection.record_id != "record_id":
        yield f": record_id is for a model of its own, not {collection.record_id!r}"
    needed = [collection.record_id, *([collection.group] if collection.group else []), *COMMON]
    for attribute in needed:
        if not hasattr(model, attribute):
            yield f": {model.__name__} has no attribute {attribute!r}"


def _of_column(collection: Collection, column: Column) -> Iterator[str]:
    if not isinstance(column.name, str) or not column.name:
        yield "the name must be a text"
    elif column.name in RESERVED_COLUMNS:
        yield "the name is reserved"
    elif not COLUMN.fullmatch(column.name):
        yield COLUMN_RULE
    elif collection.model is Record and not KEY.fullmatch(column.name):
        yield KEY_RULE
    if column.type not in TYPES:
        yield f"the type must be {_listed(TYPES)}, not {column.type!r}"
    for name, flag in (("required", column.required), ("fixed", column.fixed)):
        if not isinstance(flag, bool):
            yield f"{name} must be True or False, not {flag!r:.80}"
    if column.roles is not None and not _are_texts(column.roles):
        yield f"roles must be a tuple of roles, not {column.roles!r:.80}"
    yield from _of_lengths(column)
    if column.check is not None and not callable(column.check):
        yield f"check must be a function of the value, not {column.check!r:.80}"
    yield from _of_attribute(collection, column)


def _of_lengths(column: Column) -> Iterator[str]:
    for name, value in (("least", column.least), ("most", column.most)):
        if not isinstance(value, int):
            yield f"{name} must be a whole number, not {value!r:.80}"
            return
    if column.type != "string" and (column.least, column.most) != (0, TEXT_LIMIT):
        yield f"least and most are lengths of a string, not limits of {column.type!r}: use check"
    if column.least < 0:
        yield f"least must be at least 0, not {column.least}"
    if column.least > column.most:
        yield f"least must be at most {column.most}, which is most, not {column.least}"


def _of_attribute(collection: Collection, column: Column) -> Iterator[str]:
    is_owner, attribute = column.name == collection.owner, collection.attribute_of(column)
    if is_owner and column.type != "string":
        yield f"the owner's type must be string, not {column.type!r}"
    if collection.model is not Record:
        if attribute is None or not hasattr(collection.model, attribute):
            yield f"{collection.model.__name__} has no attribute {attribute or column.name!r}"
    elif column.attribute and not (is_owner and attribute == "owner"):
        yield f"attribute is for a model of the collection's own, not {attribute!r}"


def _of_rules(role: Any, rules: Any) -> Iterator[str]:
    if not isinstance(role, str):
        yield "the role must be a text"
    if not isinstance(rules, Mapping):
        yield f"the rules must be a dict by action, not {rules!r:.80}"
        return
    for action, rule in rules.items():
        if action not in ACTIONS:
            yield f"the action must be {_listed(ACTIONS)}, not {action!r}"
        if not isinstance(rule, bool | None) and rule != "own":
            yield f"the rule of {action!r} must be True, False or 'own', not {rule!r:.80}"


def _are_among(allowed: tuple[str, ...], values: Any) -> bool:
    return _are_texts(values) and set(values) <= set(allowed)


def _are_texts(values: Any) -> bool:
    is_several = isinstance(values, tuple | list | set | frozenset)
    return is_several and all(isinstance(value, str) for value in values)


def _listed(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
