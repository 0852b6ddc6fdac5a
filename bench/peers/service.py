"""The service as a peer."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.databases import Databases
from bench.limits import SERVER_CORE, pinned
from bench.people import People, Question
from config import ROOT
from tests.services import Service

TRUST = ROOT / "bench/programs/trust"
WARNING = re.compile(r'"level": "(warning|error|critical)"')


class OurService:
    """The service with its production configuration, on a database of its own."""

    def __init__(
        self, name: str, kind: str, databases: Databases, settings: Mapping[str, object]
    ) -> None:
        self.name = name
        self.port = 0
        self.beside: Sequence[int] = ()
        self._kind = kind
        self._settings = settings
        self._databases = databases
        self._service: Service | None = None
        self._people: People | None = None

    @property
    def pid(self) -> int:
        assert self._service
        assert self._service.process
        return self._service.process.pid

    @property
    def database_url(self) -> str:
        assert self._service
        return self._service.database_url

    def start(self) -> None:
        self._service = Service(self._databases.make(self._kind), **self._settings)
        if self._kind == "postgresql":
            assert self._databases.cluster.process
            self.beside = (self._databases.cluster.process.pid,)
        with pinned(SERVER_CORE):
            self._service.execute()
        self.port = self._service.port
        self._people = People(self.port, self._service.database_url)

    def stop(self) -> None:
        if self._service:
            self._service.remove()
            self._service = None

    @property
    def complaints(self) -> list[str]:
        """What gunicorn and the interpreter have said, without the requests that were lost."""
        assert self._service
        lines = self._service.log.read_text().splitlines()
        theirs = [line for line in lines if not line.startswith("{") or "gunicorn.error" in line]
        return [line for line in theirs if "request lost" not in line]

    @property
    def warnings(self) -> list[str]:
        """The lines of the log of level warning and above."""
        assert self._service
        lines = self._service.log.read_text().splitlines()
        return [line for line in lines if WARNING.search(line)]

    def requests(self, questions: Sequence[Question]) -> list[str]:
        assert self._people
        return self._people.requests(questions)


def settings(url: str, certificate: str = "") -> Mapping[str, object]:
    """The settings that differ from the tests'; a version ignores those that it does not know."""
    trusted = {"PYTHONPATH": TRUST, "BENCH_CERTIFICATE": Path(certificate)} if certificate else {}
    return {
        "SANDBOX": 0,
        "SQLITE_SYNC": "full",
        "EXTENSIONS": "bench.board",
        "WEB_CONCURRENCY": 1,
        "STARTING_CREDITS": 100_000_000,
        # As by default. With as many as the tests allow, the look for a free place counts.
        "TURNS_AT_ONCE": 4,
        "CALLS_AT_ONCE": 16,
        "PROVIDER_A_BASE_URL": url,
        "PROVIDER_A_API_KEY": "x",
        "PROVIDER_C_BASE_URL": f"{url}/v1",
        "OPEN_METEO_GEOCODING_BASE_URL": url,
        **trusted,
    }
