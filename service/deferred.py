"""Extensions that are created when they are first used.

A serving process needs every secret. A command that creates a secret or the database can't have all
of them, so it creates only the extensions that it uses.
"""

from collections.abc import Callable
from typing import Any


class Extensions(dict[str, Any]):
    """The extensions of an app by name. A deferred one is created by `extensions[name]`."""

    def __init__(self) -> None:
        super().__init__()
        self._makers: dict[str, Callable[[], None]] = {}

    def defer(self, names: tuple[str, ...], make: Callable[[], None]) -> None:
        """Register `make`, which sets the extensions of these names."""
        self._makers |= dict.fromkeys(names, make)

    def complete(self) -> None:
        """Create the missing extensions. Raises what the makers raise, such as `ConfigError`."""
        for name, make in self._makers.items():
            if name not in self:
                make()

    def __missing__(self, name: str) -> Any:
        self._makers[name]()
        return self[name]
