"""What is the same for every app of this process is made once.

The tests make an app three thousand times. The rules of its addresses and those of the sandbox are
nearly all of the time of that. Then each engine would compile all statements anew, which takes as
long as to run them.
"""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache
from werkzeug.routing import Rule

from service.integrations.declare.endpoint import Endpoint
from service.sandbox import vendors
from service.sandbox.matching import Rules

STATEMENTS = 5000  # compiled ones


def make_rules_once(patch: pytest.MonkeyPatch) -> None:
    """The rules of addresses alone, which are most of it."""
    patch.setattr(vendors, "Rules", _rules())
    patch.setattr(Rule, "compile", _compiling_once(Rule.compile))


@contextmanager
def made_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        make_rules_once(patch)
        kept: LRUCache[Any, Any] = LRUCache(STATEMENTS)
        one = property(lambda engine: kept, lambda engine, own: None)
        patch.setattr(Engine, "_compiled_cache", one, raising=False)
        for dialect in (SQLiteDialect_pysqlite, PGDialect_psycopg):
            # It is a part of the keys under which statements are kept.
            patch.setattr(dialect, "__eq__", lambda self, other: _facts(self) == _facts(other))
            patch.setattr(dialect, "__hash__", lambda self: hash(type(self)))
        yield


def _facts(dialect: Any) -> tuple[Any, ...]:
    """What statements are compiled by. A test that changes more must use another cache."""
    names = ("paramstyle", "server_version_info", "_json_serializer", "_json_deserializer")
    return type(dialect), *(getattr(dialect, name, None) for name in names)


def ignore_what_is_loaded() -> None:
    """Make the collector look at what the tests make only, and as rarely as in a worker.

    gunicorn.conf.py does the same. Otherwise collecting takes a fifth of the tests' time.
    """
    gc.collect()
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


def _compiling_once(compile_rule: Callable[[Rule], None]) -> Callable[[Rule], None]:
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
