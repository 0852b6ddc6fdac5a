"""Turn an endpoint's parameters into the arguments of its function."""

import inspect
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from marshmallow import fields, missing

NAMES = 2000  # size of the caches: more than the catalog has


@lru_cache(NAMES)
def snake(name: str) -> str:
    """Return `per_page` for `perPage`."""
    return re.sub("([A-Z])", lambda match: f"_{match[0].lower()}", name)


@lru_cache(NAMES)
def keywords(run: Callable[..., Any]) -> Mapping[str, bool]:
    """Return the keyword-only parameters of a function, and whether each must be given.

    Every call of an endpoint needs them, and reading a signature takes 30 function calls.
    """
    return {
        name: one.default is inspect.Parameter.empty
        for name, one in inspect.signature(run).parameters.items()
        if one.kind is inspect.Parameter.KEYWORD_ONLY
    }


def argument_faults(
    parameters: Mapping[str, fields.Field[Any]], run: Callable[..., Any] | None
) -> list[str]:
    """Return the faults: a parameter needs a description and a place in the request or `run`."""
    known = keywords(run) if run else {}
    named = {snake(name): one for name, one in parameters.items()}
    wrong = [f"{name}: the function takes no such parameter" for name in known.keys() - named]
    for name, one in named.items():
        if not one.metadata.get("description"):
            wrong.append(f"{name}: has no description")
        if not one.metadata.get("to") and name not in known and name != "wait":
            wrong.append(f"{name}: goes nowhere")
        given = one.required or one.load_default is not missing
        if known.get(name) and not given:
            wrong.append(f"{name}: may be missing, and the function has no default")
    if inspect.iscoroutinefunction(run):
        wrong.append("its function must be a plain one, not `async`")
    return sorted(wrong)
