"""Import the modules that `EXTENSIONS` names, and check the form of their declarations."""

import importlib
import re
import traceback
from pathlib import Path
from typing import Any

from config import ConfigError
from config_names import misspelt
from service.chat.tools.tool import Tool
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.vendor import Vendor
from service.records.collection import Collection
from service.records.declaration_check import refuse_mistakes

# The types of the items in each attribute of a module.
ITEM_TYPES: dict[str, tuple[type, ...]] = {
    "COLLECTIONS": (Collection,),
    "TOOLS": (Tool,),
    "VENDORS": (Vendor,),
    "ENDPOINTS": (Endpoint,),
    "TEMPLATES": (Path, str),
}
# The exceptions that a mistake in a module may raise. Our own declarations raise ValueError.
MISTAKES = (
    ImportError,
    SyntaxError,
    NameError,
    AttributeError,
    TypeError,
    ValueError,
    LookupError,
    OSError,
    ArithmeticError,
    AssertionError,
    re.error,  # of a pattern that is compiled
    RuntimeError,  # Flask's `current_app` or a query of the database, which need an app context
)


def load(path: str) -> Any:
    """Import the module of a dotted path. Raises `ConfigError`, which names the mistake in it."""
    try:
        module = importlib.import_module(path)
    except MISTAKES as error:
        is_told = str(error) and not isinstance(error, LookupError)  # its text is only a key
        what = str(error) if is_told else repr(error)
        first_line, *_ = what.splitlines() or [""]
        reason = f"{path} can't be imported ({_place(error)}{first_line})"
        raise ConfigError(f"EXTENSIONS: {reason}") from error
    try:
        _check(module)
    except ValueError as error:
        raise ConfigError(f"EXTENSIONS: {path}: {error}") from None
    return module


def _place(error: Exception) -> str:
    """Return the file and line at which the import failed, or "". A SyntaxError names its own."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.name == "<module>":
            return f"{Path(frame.filename).name}, line {frame.lineno}: "
    return ""


def _check(module: Any) -> None:
    """Check a module's declarations. Raises ValueError.

    A module may declare nothing: its import alone may have an effect.
    """
    for name in vars(module):
        if meant := misspelt(name, ITEM_TYPES):
            raise ValueError(f"{name} is no name of a declaration: is {meant} meant?")
    declared = declared_in(module)
    for name, items in declared.items():
        _check_kind(name, items)
    for collection in declared.get("COLLECTIONS", ()):
        refuse_mistakes(collection)


def declared_in(module: Any) -> dict[str, Any]:
    """Return the declarations of a module by the names of its attributes."""
    return {name: getattr(module, name) for name in ITEM_TYPES if hasattr(module, name)}


def _check_kind(name: str, items: Any) -> None:
    """Check the type of a declaration and of its items. Raises ValueError."""
    kind = " or ".join(one.__name__ for one in ITEM_TYPES[name])
    if not isinstance(items, tuple | list | set | frozenset):
        raise ValueError(f"{name} must be a tuple of {kind}, not one {type(items).__name__}")
    for item in items:
        if not isinstance(item, ITEM_TYPES[name]):
            raise ValueError(f"{name} must be a tuple of {kind}, without {item!r:.80}")
