"""Turn an endpoint's parameters into the arguments of its function."""

import inspect
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from marshmallow import ValidationError, fields, missing

from service.integrations.declare.forms import takes

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


def field_faults(parameters: Mapping[str, fields.Field[Any]]) -> list[str]:
    """Return a fault for each field that is not one of ours, also within lists and objects."""
    wrong = []
    for name, one in parameters.items():
        inner = one.inner if isinstance(one, fields.List) else one
        if "to" not in one.metadata or "to" not in inner.metadata:
            wrong.append(f"{name}: must be a field of declare/fields.py, such as Words")
        elif isinstance(inner, fields.Nested):
            wrong += [f"{name}.{fault}" for fault in field_faults(inner.schema.fields)]
    return wrong


def argument_faults(
    parameters: Mapping[str, fields.Field[Any]],
    run: Callable[..., Any] | None,
    *,
    has_request: bool = False,
) -> list[str]:
    """Return the faults of parameters, and of the function `run` that takes them.

    A parameter needs a description, and a place in the request or in `run`. `run` takes the call,
    and also the filled request if there is one.
    """
    known = keywords(run) if run else {}
    named = {snake(name): one for name, one in parameters.items()}
    wrong = [f"{name}: the function takes no such parameter" for name in known.keys() - named]
    for name, one in named.items():
        if not one.metadata.get("description"):
            wrong.append(f"{name}: has no description")
        if not one.metadata.get("to") and name not in known and name != "wait":
            wrong.append(f"{name}: goes nowhere, neither by `to` nor as a keyword of the function")
        given = one.required or one.load_default is not missing
        if known.get(name) and not given:
            wrong.append(f"{name}: may be missing, and the function has no default")
        wrong += [f"{name}: its default is refused: {why}" for why in _default_faults(one)]
    if inspect.iscoroutinefunction(run):
        wrong.append("its function must be a plain one, not `async`")
    if run and not takes(run, 1 + has_request, *known):
        first = "`call` and `request`" if has_request else "`call`"
        wrong.append(f"its function must take {first}, and the parameters after `*`")
    return sorted(wrong)


def _default_faults(one: fields.Field[Any]) -> list[str]:
    """Return why a field's validators refuse its default, which is not validated at a call."""
    if one.load_default in (missing, None):
        return []
    try:
        for check in one.validators:
            check(one.load_default)
    except ValidationError as error:
        return [str(text) for text in error.messages]
    except TypeError:
        return [f"it is {one.load_default!r:.80}"]
    return []
