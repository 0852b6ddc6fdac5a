"""Caches for what is the same in every app of this process.

The tests make an app three thousand times. Nearly all of that time goes into the URL rules of the
app and of the sandbox. Each engine would also compile all statements anew, which takes as long as
running them.
"""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import gevent.socket
import pytest
from sqlalchemy import Engine
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache
from werkzeug.routing import Rule

import config_names
from service.integrations import everything
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.vendor import Vendor
from service.sandbox import vendors
from service.sandbox.matching import Rules

STATEMENTS = 5000  # compiled ones


def cache_rules(patch: pytest.MonkeyPatch) -> None:
    """Cache only the URL rules, which take most of the time."""
    patch.setattr(vendors, "Rules", _rules())
    patch.setattr(Rule, "compile", _cached_compile(Rule.compile))


@contextmanager
def shared_caches() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        cache_rules(patch)
        patch.setattr(everything, "catalog", _cached_catalog(everything.catalog))
        # Tests that give settings of vendors would compare them with our own, at 3 ms for each app.
        patch.setattr(config_names, "_slips", cache(config_names._slips))
        # Each server of a test would ask in another thread for the name of this machine.
        patch.setattr(gevent.socket, "getfqdn", cache(gevent.socket.getfqdn))
        kept: LRUCache[Any, Any] = LRUCache(STATEMENTS)
        one = property(lambda engine: kept, lambda engine, own: None)
        patch.setattr(Engine, "_compiled_cache", one, raising=False)
        for dialect in (SQLiteDialect_pysqlite, PGDialect_psycopg):
            # It is a part of the keys under which statements are kept.
            patch.setattr(dialect, "__eq__", lambda self, other: _facts(self) == _facts(other))
            patch.setattr(dialect, "__hash__", lambda self: hash(type(self)))
        yield


def _facts(dialect: Any) -> tuple[Any, ...]:
    """Return what compiled statements depend on. Tests that change more must use another cache."""
    names = ("paramstyle", "server_version_info", "_json_serializer", "_json_deserializer")
    return type(dialect), *(getattr(dialect, name, None) for name in names)


def freeze_loaded_objects() -> None:
    """Let the garbage collector look only at new objects, and as rarely as in a worker.

    gunicorn.conf.py does the same. Otherwise collecting takes a fifth of the time of the tests.
    What is garbage already stays in memory: to look for it takes half a second in each worker.
    """
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()


def _rules() -> Callable[[Iterable[Endpoint]], Rules]:
    made: dict[tuple[int, ...], tuple[Rules, tuple[Endpoint, ...]]] = {}

    def rules(endpoints: Iterable[Endpoint]) -> Rules:
        kept = tuple(endpoints)
        key = tuple(map(id, kept))
        if key not in made:
            made[key] = Rules(kept), kept
        return made[key][0]

    return rules


def _cached_catalog(make: Callable[..., Catalog]) -> Callable[..., Catalog]:
    """Make the catalog of the built-in endpoints once. Nothing changes a catalog."""
    built_in = cache(make)

    def catalog(vendors: Iterable[Vendor] = (), others: Iterable[Endpoint] = ()) -> Catalog:
        own = tuple(vendors), tuple(others)
        return make(*own) if any(own) else built_in()

    return catalog


def _cached_compile(compile_rule: Callable[[Rule], None]) -> Callable[[Rule], None]:
    made: dict[Any, Rule] = {}

    def compiled(rule: Rule) -> None:
        defaults = tuple(sorted((rule.defaults or {}).items()))
        key = rule.rule, defaults, rule.subdomain, rule.host, rule.merge_slashes
        first = made.get(key)
        if first is None:
            compile_rule(rule)
            made[key] = rule
            return
        rule._parts, rule._trace, rule._converters = first._parts, first._trace, first._converters
        rule.arguments |= first.arguments
        rule._build = first._build.__func__.__get__(rule)
        rule._build_unknown = first._build_unknown.__func__.__get__(rule)

    return compiled
