"""Units that run, and go from one test to the next."""

from pathlib import Path

import pytest

from tests.faults.machine import Machine
from tests.faults.model import RawModel
from tests.faults.unit import Unit
from tests.fresh_copy import FreshCopy
from tests.services import Databases, environment, free_port


class Running:
    """One unit of each kind, each from a copy of the tree. They share a raw model, provider A."""

    def __init__(self, databases: Databases, places: pytest.TempPathFactory) -> None:
        self._databases, self._places = databases, places
        self._model = RawModel()
        self._units: dict[str, Unit | Machine] = {}

    def get(self, kind: str) -> Unit | Machine:
        """The unit of this kind, which is started if none runs."""
        if kind not in self._units:
            self._units[kind] = self._make(kind, self._places.mktemp(kind))
            options = {} if kind == "systemd" else {"migrate": False}
            try:
                self._units[kind].start(**options)
            except BaseException:
                self.end(kind)
                raise
        return self._units[kind]

    def best(self) -> str:
        """Return the kind that is most like production here."""
        try:
            self.get("systemd")
        except pytest.skip.Exception:
            return "stand-in"
        return "systemd"

    def end(self, kind: str) -> None:
        self._units.pop(kind).remove()

    def stop(self) -> None:
        for kind in list(self._units):
            self.end(kind)
        self._model.stop()

    def _make(self, kind: str, place: Path) -> Unit | Machine:
        values = {"PROVIDER_A_BASE_URL": self._model.url, "PROVIDER_A_API_KEY": "key"}
        if kind == "systemd":
            database = "sqlite:////srv/service/instance/service.db"
            return Machine(place, environment(database, PORT=free_port(), **values))
        settings = environment(self._databases.make("sqlite"), PORT=free_port(), **values)
        return Unit(FreshCopy(place / "tree").place, place, settings)
