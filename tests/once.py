"""What is the same for every app of this process is made once.

The tests make an app three thousand times. The builders of addresses, the sandbox's rules and our
own templates are three quarters of the time of that.
"""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from werkzeug.routing import Rule

from service.integrations.declare.endpoint import Endpoint
from service.sandbox import vendors
from service.sandbox.matching import Rules
from service.widgets import manifest, templates
from service.widgets.template import WidgetTemplate


@contextmanager
def made_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vendors, "Rules", _rules())
        patch.setattr(Rule, "_compile_builder", _builders(Rule._compile_builder))
        patch.setattr(templates, "read", _templates())
        yield


def ignore_what_is_loaded() -> None:
    """Make the collector look at what the tests make only, as gunicorn.conf.py does."""
    gc.collect()
    gc.freeze()


def _rules() -> Callable[[Iterable[Endpoint]], Rules]:
    made: dict[tuple[int, ...], tuple[Rules, tuple[Endpoint, ...]]] = {}

    def rules(endpoints: Iterable[Endpoint]) -> Rules:
        kept = tuple(endpoints)
        key = tuple(map(id, kept))
        if key not in made:
            made[key] = Rules(kept), kept
        return made[key][0]

    return rules


def _builders(compile_builder: Callable[..., Any]) -> Callable[..., Any]:
    made: dict[Any, Callable[..., tuple[str, str]]] = {}

    def builder(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        """A function of the rule, which is its first argument."""
        defaults = tuple(sorted((rule.defaults or {}).items()))
        key = rule.rule, tuple(rule._trace), defaults, append_unknown
        if key not in made:
            made[key] = compile_builder(rule, append_unknown)
        return made[key]

    return builder


def _templates() -> Callable[[Path], WidgetTemplate]:
    read_once = cache(manifest.read)

    def read(folder: Path) -> WidgetTemplate:
        ours = folder.parent == templates.BUILT_IN
        return read_once(folder) if ours else manifest.read(folder)

    return read
