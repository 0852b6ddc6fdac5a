"""Shapes of answers: how our fields are read from a vendor's answer, and their JSON Schema.

A plain text is the path of a required text: `Shape(url="html_url")`. A required field that is
missing or of another type makes the answer unusable. `Maybe` makes a field optional: it is null if
the vendor gives no value, or one of another type. Pieces of a path are names in objects and numbers
in lists; the empty path is the value itself.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol

from marshmallow import missing

from service.fairness import WorkBudget
from service.integrations.declare.json_paths import find, names
from service.integrations.declare.reading import Unusable, leave_out, optional_item, unusable

_reading = WorkBudget(200)  # items of lists; so many take a millisecond or two
Values = Mapping[str, Any]  # a call's parameters, by our names
Json = dict[str, Any]


class Kind(Protocol):
    """One field of an answer."""

    def read(self, item: Any, values: Values) -> Any:
        """Return our value for the vendor's value. Raises `Unusable`."""

    def schema(self) -> Json:
        """Return the JSON Schema of the values that `read` returns."""


Field = str | Kind


@dataclass(frozen=True)
class Leaf:
    """A required value of one JSON type."""

    path: str
    about: str = field(default="", kw_only=True)

    types: ClassVar[tuple[type, ...]]  # exact types, so that a bool is no number
    named: ClassVar[str] = ""

    @cached_property
    def name(self) -> str | None:
        """The path if it is a single name. Most are, and `find` takes as long as all the rest."""
        return self.path if len(names(self.path)) == 1 else None

    def read(self, item: Any, values: Values) -> Any:
        name = self.name
        value = item.get(name) if name and type(item) is dict else find(item, self.path)
        if type(value) not in self.types:
            raise unusable(self.path)
        return value

    def schema(self) -> Json:
        named = {"type": self.named} if self.named else {}
        return {**named, **({"description": self.about} if self.about else {})}


class Str(Leaf):
    types, named = (str,), "string"


class Int(Leaf):
    types, named = (int,), "integer"


class Num(Leaf):
    types, named = (int, float), "number"


class Bool(Leaf):
    types, named = (bool,), "boolean"


LEAVES = (Str, Int, Num, Bool)


class Raw(Leaf):
    """A value of any kind, as the vendor gives it."""

    def read(self, item: Any, values: Values) -> Any:
        value = find(item, self.path)
        if value is None:
            raise unusable(self.path)
        return value


@dataclass(frozen=True)
class Maybe:
    """A field that may be missing or null. Our answer then has null, or an empty list."""

    of: Field

    @cached_property
    def kind(self) -> Kind:
        return as_kind(self.of)

    @cached_property
    def path(self) -> str | None:
        return getattr(self.kind, "path", None)

    def read(self, item: Any, values: Values) -> Any:
        kind = self.kind
        if type(item) is dict and isinstance(kind, LEAVES) and kind.name:  # no search along a path
            value = item.get(kind.name)
            if value is None or type(value) in kind.types:
                return value
        if self.path is not None and find(item, self.path) is None:
            return self._nothing()
        try:
            return self.kind.read(item, values)
        except Unusable:  # the path is already logged
            return self._nothing()

    def _nothing(self) -> list[Any] | None:
        return [] if isinstance(self.kind, Each) else None

    def schema(self) -> Json:
        schema = self.kind.schema()
        if isinstance(self.kind, Each) or not schema:
            return schema
        if isinstance(schema.get("type"), str) and "properties" not in schema:
            return {**schema, "type": [schema["type"], "null"]}
        return {"anyOf": [schema, {"type": "null"}]}


@dataclass(frozen=True)
class Each:
    """A list at a path: `of` is read from each of its items that `where` accepts.

    `default`, `()` or None, is our value if the vendor has no list; without it, the list is
    required. An item that can't be read makes the whole answer unusable; see `Readable`.
    """

    path: str
    of: Field = ""
    where: Callable[[Any], bool] | None = None
    default: Any = missing

    def read(self, item: Any, values: Values) -> list[Any] | None:
        items = find(item, self.path)
        if items is None and self.default is not missing:
            return None if self.default is None else list(self.default)
        if not isinstance(items, list):
            raise unusable(self.path)
        return self._read([one for one in items if self.where is None or self.where(one)], values)

    def _read(self, items: list[Any], values: Values) -> list[Any]:
        kind, read = as_kind(self.of), []
        for one in items:
            read.append(kind.read(one, values))
            _reading.spend(1)
        return read

    def schema(self) -> Json:
        kind: str | list[str] = ["array", "null"] if self.default is None else "array"
        return {"type": kind, "items": as_kind(self.of).schema()}


class Readable(Each):
    """A list whose items may lack required fields of `of`, according to the vendor.

    Such an item is left out and counted. A list without any readable item is unusable.
    """

    def _read(self, items: list[Any], values: Values) -> list[Any]:
        kind, found = as_kind(self.of), []
        for one in items:
            with suppress(Unusable), optional_item():
                found.append(kind.read(one, values))
            _reading.spend(1)
        if items and not found:
            raise unusable(self.path)
        if left := len(items) - len(found):
            leave_out(self.path, left)
        return found


class Shape:
    """An object of ours, with the fields of other shapes and its own fields by name."""

    def __init__(self, *shapes: "Shape", **fields: Field) -> None:
        self.fields: dict[str, Kind] = {}
        for shape in shapes:
            self.fields |= shape.fields
        self.fields |= {name: as_kind(one) for name, one in fields.items()}
        self._of_object = any(getattr(one, "path", "") for one in self.fields.values())

    def read(self, item: Any, values: Values | None = None) -> Json:
        """Return our object. Raises `Unusable`."""
        if self._of_object and not isinstance(item, (dict, Mapping)):
            raise unusable()
        values = values or {}
        return {name: kind.read(item, values) for name, kind in self.fields.items()}

    def schema(self) -> Json:
        properties = {name: kind.schema() for name, kind in self.fields.items()}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }


@dataclass(frozen=True)
class Within:
    """A shape that is read from the object at a path."""

    path: str
    of: Shape

    def read(self, item: Any, values: Values) -> Json:
        inner = find(item, self.path)
        if not isinstance(inner, Mapping):
            raise unusable(self.path)
        return self.of.read(inner, values)

    def schema(self) -> Json:
        return self.of.schema()


@dataclass(frozen=True)
class Made:
    """A value that a function makes from the item and the parameters. `of` has its schema."""

    of: Field
    make: Callable[[Any, Values], Any]

    def read(self, item: Any, values: Values) -> Any:
        return self.make(item, values)

    def schema(self) -> Json:
        return as_kind(self.of).schema()


def as_kind(one: Field) -> Kind:
    if isinstance(one, str):
        return Str(one)
    is_read = not isinstance(one, type) and hasattr(one, "read")
    if not is_read or not isinstance(getattr(one, "path", ""), str | None):
        raise ValueError(f'a field must be a path, or a reader such as Int("id"), not {one!r:.60}')
    return one
