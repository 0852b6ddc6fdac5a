"""A vendor's answer in our shape. One that has not the documented shape is the vendor's failure.

Source: contract section 3, "wrong shape".
"""

import functools
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import structlog

from service.errors import UpstreamFailed

log = structlog.get_logger("integrations")


class Unusable(UpstreamFailed):
    """The upstream has answered, but with nothing that we can use: of another shape, too large."""


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, raising `Unusable` when it does not find what it reads in an answer.

    The log tells where, not what: the text of such an error repeats the answer.
    """

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{last.name}:{last.lineno}"
            log.warning("wrong shape", of=function.__name__, at=where, kind=type(error).__name__)
        raise Unusable("The upstream's answer is not as documented.", upstreamStatus=None)

    return wrapped


def picked(item: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Our names with the values at their `dotted.paths`, None where there is nothing.

    The first must be there: it is what makes the item one of its kind. Raises LookupError.
    """
    item[next(iter(names.values())).partition(".")[0]]
    return {ours: at(item, theirs) for ours, theirs in names.items()}


def at(item: Any, path: str) -> Any:
    """The value at a `dotted.path` of objects in objects, None where there is nothing."""
    for name in path.split("."):
        item = item.get(name) if isinstance(item, Mapping) else None
    return item


def listed(value: Any) -> list[Any]:
    """`value`, which must be a list. Raises TypeError."""
    if not isinstance(value, list):
        raise TypeError("not a list")
    return value
