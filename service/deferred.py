"""Extensions that are made when they are first asked for.

What serves needs every secret. The commands that make those secrets, or the database, can't: each
gets along with what it asks for.
"""

from collections.abc import Callable
from typing import Any


class Extensions(dict[str, Any]):
    """An app's extensions by name; a deferred one comes into being with `extensions[name]`."""

    def __init__(self) -> None:
        super().__init__()
        self._makers: dict[str, Callable[[], None]] = {}

    def defer(self, names: tuple[str, ...], make: Callable[[], None]) -> None:
        """`make` will put the extensions of these names in here."""
        self._makers |= dict.fromkeys(names, make)

    def complete(self) -> None:
        """Make what is still missing. Raises what the makers raise, such as `ConfigError`."""
        for name, make in self._makers.items():
            if name not in self:
                make()

    def __missing__(self, name: str) -> Any:
        self._makers[name]()
        return self[name]
