"""The declaration of a template of widgets.

Source: docs/contract.md, sections 0.6 and 12.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from service.browser.files import file_in

Direction = Literal["input", "output"]
SlotType = Literal["string", "number", "boolean", "object", "array", "any"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
SLOT_TYPES: tuple[SlotType, ...] = get_args(SlotType)

SLOT_CONNECTIONS = 64  # of one slot, docs/widgets.md
# Features of a frame that a template may ask for; each goes into the frame's `allow`.
PERMISSIONS = (
    "autoplay", "camera", "clipboard-read", "clipboard-write", "display-capture", "fullscreen",
    "geolocation", "microphone",
)  # fmt: skip


@dataclass(frozen=True)
class Slot:
    """A named place where values leave or enter a widget.

    `type` is the type of the payload, which is `value.value` if that is a scalar or a list, or else
    the value itself. `schema` is a JSON Schema of the payload. An input takes one connection unless
    `max_connections` allows more. With `persist` a canvas stores an output's last value.
    """

    id: str
    direction: Direction
    type: SlotType
    title: str
    schema: Mapping[str, Any] | None = None
    max_connections: int | None = None
    persist: bool = False

    @property
    def is_possible(self) -> bool:
        """Whether a value can have both the slot's type and that of its schema."""
        named = (self.schema or {}).get("type", self.type)
        types = set(named if isinstance(named, list) else [named])
        own = {"number", "integer"} if self.type == "number" else {self.type}
        return self.type == "any" or bool(own & types)


@dataclass(frozen=True)
class WidgetTemplate:
    """A kind of widget. `folder` has its files.

    `icon` is a short text, or the name of an SVG file in the folder. `endpoints` are the names of
    the endpoints that its widgets may call, `collections` the collections that they read, `images`
    the https sources of their pictures, and `permissions` the features of their frames. `settings`
    has a JSON Schema with a default for each setting. `size` is the initial width and height in CSS
    pixels. With `standalone`, the template has its own page at `/app/<handle>`. `version` increases
    when slots change.
    """

    handle: str
    folder: Path
    name: str
    icon: str
    summary: str
    slots: tuple[Slot, ...] = ()
    endpoints: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    standalone: bool = True
    size: tuple[int, int] = (320, 240)
    version: int = 1

    def file(self, name: str) -> Path | None:
        """Return a file that its pages may load, or None."""
        return file_in(self.folder, name)
