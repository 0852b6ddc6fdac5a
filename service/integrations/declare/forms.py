"""Check that the fields of a declaration have values of the declared types.

Otherwise a mistake would appear later: a text would be read as a tuple of its letters, and one
endpoint with a wrong field would make the whole catalog fail.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin

SUCH_AS = {
    "Access": ", such as FREE_READ",
    "Credential": ", such as bearer(key)",
    "Template": ', such as get("/path")',
}
PLAIN: Mapping[type, tuple[str, tuple[type, ...]]] = {
    str: ("a text", (str,)),
    bool: ("True or False", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
}


@dataclass(frozen=True)
class Form:
    """A type in `words`, and a function that tells whether a value `fits` it."""

    words: str
    fits: Callable[[Any], bool]


def form_faults(declaration: Any) -> list[str]:
    """Return a fault for each field of a dataclass whose value is not of the field's type."""
    kind: Any = type(declaration)
    return [
        f"its `{name}` must be {form.words}"
        for name, form in _forms(kind).items()
        if not form.fits(getattr(declaration, name))
    ]


def check_forms(declaration: Any) -> None:
    """Raise ValueError if a field's value is not of the field's type."""
    if wrong := form_faults(declaration):
        raise ValueError(f"{type(declaration).__name__}: {'; '.join(wrong)}")


@cache
def _forms(declared: Any) -> Mapping[str, Form]:
    return {one.name: _form(one.type) for one in fields(declared)}


def _form(kind: Any) -> Form:
    inner = get_args(kind)
    if NoneType in inner:
        [other] = [one for one in inner if one is not NoneType]
        form = _form(other)
        return Form(form.words, lambda value: value is None or form.fits(value))
    match get_origin(kind):
        case origin if origin is tuple:
            return _tuple(inner[0])
        case origin if origin is type:
            return _class(inner[0])
        case origin if origin is Callable:
            return _function(inner[0])
        case origin if origin is Literal:
            return Form(f"one of {', '.join(map(repr, inner))}", lambda value: value in inner)
        case origin if origin is Mapping:
            return Form("a dict", lambda value: isinstance(value, Mapping))
    return Form("of any type", lambda value: True) if kind is Any else _instance(kind)


def _tuple(kind: Any) -> Form:
    def fits(value: Any) -> bool:
        return isinstance(value, tuple | list) and all(isinstance(one, kind) for one in value)

    return Form(f"a tuple of {kind.__name__}", fits)


def _class(kind: type) -> Form:
    def fits(value: Any) -> bool:
        return isinstance(value, type) and issubclass(value, kind)

    return Form(f"a class of {kind.__name__}", fits)


def _function(arguments: Any) -> Form:
    if arguments is Ellipsis:
        return Form("a function", callable)
    count = len(arguments)
    words = f"a function of {count} argument{'' if count == 1 else 's'}"
    return Form(words, lambda value: callable(value) and takes(value, count))


def takes(function: Callable[..., Any], count: int, *keywords: str) -> bool:
    """Return whether a function can be called with so many arguments and these keywords."""
    try:
        inspect.signature(function).bind(*[None] * count, **dict.fromkeys(keywords))
    except TypeError:
        return False
    except ValueError:  # a built-in function may have no signature
        pass
    return True


def _instance(kind: type) -> Form:
    words, kinds = PLAIN.get(kind, ("", (kind,)))
    if not words:
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        words = f"{article} {kind.__name__}{SUCH_AS.get(kind.__name__, '')}"

    def fits(value: Any) -> bool:
        return isinstance(value, kinds) and (kind is bool or not isinstance(value, bool))

    return Form(words, fits)
