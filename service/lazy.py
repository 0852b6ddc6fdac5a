"""Extensions and modules that are made or loaded at their first use.

A serving process needs every secret. A command that creates a secret or the database can't have all
of them, so it creates only the extensions that it uses. A module that most processes never use
costs them neither time nor memory.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any


class Extensions(dict[str, Any]):
    """The extensions of an app by name. A deferred one is created by `extensions[name]`."""

    def __init__(self) -> None:
        super().__init__()
        self._makers: dict[str, Callable[[], None]] = {}
        self._serving: list[str] = []

    def defer(self, names: tuple[str, ...], make: Callable[[], None], serving: bool = True) -> None:
        """Register `make`, which sets the extensions of these names.

        A process that serves needs them, unless `serving` is false.
        """
        self._makers |= dict.fromkeys(names, make)
        self._serving += names if serving else ()

    def complete(self) -> None:
        """Create the missing extensions. Raises the makers' errors, such as `ConfigError`."""
        for name in self._serving:
            if name not in self:
                self._makers[name]()

    def __missing__(self, name: str) -> Any:
        self._makers[name]()
        return self[name]


class DeferredModule:
    """A module that is imported at the first use of one of its attributes.

    Raises ModuleNotFoundError at once if there is no such module, as an import would.
    """

    def __init__(self, name: str) -> None:
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        self._name = name

    def import_now(self) -> None:
        """Import the module, so that processes that are forked later inherit it."""
        import_module(self._name)

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)
