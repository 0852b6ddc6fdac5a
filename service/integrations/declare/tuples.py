"""Check the tuples in a declaration.

Without a check, a text would be read as a tuple of its letters.
"""

from dataclasses import fields
from typing import Any, get_args, get_origin


def tuple_faults(declaration: Any) -> list[str]:
    """Return a fault for each field of a dataclass that is declared as a tuple and is none."""
    wrong = []
    for field in fields(declaration):
        if get_origin(field.type) is not tuple:
            continue
        kind, value = get_args(field.type)[0], getattr(declaration, field.name)
        if not isinstance(value, tuple | list) or not all(isinstance(one, kind) for one in value):
            wrong.append(f"its `{field.name}` must be a tuple of {kind.__name__}")
    return wrong
