"""Paths in JSON values: names in objects and numbers in lists, joined with dots."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

PATHS = 4096  # size of the cache of split paths: more than the catalog has


def find(item: Any, path: str) -> Any:
    """Return the value at a path, or None if there is nothing."""
    for name in names(path):
        if isinstance(item, dict):  # nearly all; a test for `Mapping` takes five times as long
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
    """Return the pieces of a path."""
    return tuple(path.split(".")) if path else ()


def put_at(tree: dict[str, Any], path: str, value: Any) -> None:
    """Set the value at a path of objects in objects."""
    *parents, last = path.split(".")
    for name in parents:
        tree = tree.setdefault(name, {})
    tree[last] = value
