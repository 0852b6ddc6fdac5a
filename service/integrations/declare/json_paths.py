"""Paths in JSON values: names in objects and numbers in lists, with dots in between."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

PATHS = 4096  # that are split once: more than the catalog has


def find(item: Any, path: str) -> Any:
    """The value at a path; None where there is nothing."""
    for name in names(path):
        if isinstance(item, dict):  # nearly all; to ask for `Mapping` takes five times as long
            item = item.get(name)
        elif isinstance(item, list):
            item = item[int(name)] if name.isdecimal() and int(name) < len(item) else None
        elif isinstance(item, Mapping):
            item = item.get(name)
        else:
            return None
    return item


@lru_cache(PATHS)
def names(path: str) -> tuple[str, ...]:
    """The pieces of a path."""
    return tuple(path.split(".")) if path else ()


def put_at(tree: dict[str, Any], path: str, value: Any) -> None:
    """Set the value at a path of objects in objects."""
    *parents, last = path.split(".")
    for name in parents:
        tree = tree.setdefault(name, {})
    tree[last] = value
