"""How an endpoint's parameters become the arguments of its function."""

import inspect
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

NAMES = 2000  # that are kept: more than the catalog has


@lru_cache(NAMES)
def snake(name: str) -> str:
    """`perPage` as `per_page`."""
    return re.sub("([A-Z])", lambda match: f"_{match[0].lower()}", name)


@lru_cache(NAMES)
def keywords(run: Callable[..., Any]) -> Mapping[str, bool]:
    """The keyword-only parameters of a function, and whether each must be given.

    Every call of an endpoint asks, and to read a signature takes 30 calls of functions.
    """
    return {
        name: one.default is inspect.Parameter.empty
        for name, one in inspect.signature(run).parameters.items()
        if one.kind is inspect.Parameter.KEYWORD_ONLY
    }
