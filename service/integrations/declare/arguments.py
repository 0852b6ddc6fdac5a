"""How an endpoint's parameters become the arguments of its function."""

import inspect
import re
from collections.abc import Callable
from typing import Any


def snake(name: str) -> str:
    """`perPage` as `per_page`."""
    return re.sub("([A-Z])", lambda match: f"_{match[0].lower()}", name)


def keywords(run: Callable[..., Any]) -> dict[str, bool]:
    """The keyword-only parameters of a function, and whether each must be given."""
    return {
        name: one.default is inspect.Parameter.empty
        for name, one in inspect.signature(run).parameters.items()
        if one.kind is inspect.Parameter.KEYWORD_ONLY
    }
