"""The service as a peer."""

from collections.abc import Mapping

from bench.limits import SERVER_CORE, pinned
from bench.people import People
from tests.services import Databases, Service


class OurService:
    """The service with its production configuration, on a database of its own."""

    def __init__(self, name: str, kind: str, upstream_port: int, databases: Databases) -> None:
        self.name = name
        self.port = 0
        self._kind = kind
        self._settings = settings(upstream_port)
        self._databases = databases
        self._service: Service | None = None
        self._people: People | None = None

    @property
    def pid(self) -> int:
        assert self._service
        assert self._service.process
        return self._service.process.pid

    def start(self) -> None:
        self._service = Service(self._databases.make(self._kind), **self._settings)
        with pinned(SERVER_CORE):
            self._service.execute()
        self.port = self._service.port
        self._people = People(self.port)

    def stop(self) -> None:
        if self._service:
            self._service.remove()
            self._service = None

    def requests(self, text: str, count: int) -> list[str]:
        assert self._people
        return self._people.requests(text, count)


def settings(upstream_port: int) -> Mapping[str, object]:
    """The settings that differ from the tests'; a version ignores those that it does not know."""
    return {
        "SANDBOX": 0,
        "EXTENSIONS": "bench.board",
        "WEB_CONCURRENCY": 1,
        "STARTING_CREDITS": 100_000_000,
        "PROVIDER_A_BASE_URL": f"http://127.0.0.1:{upstream_port}",
        "PROVIDER_A_API_KEY": "x",
        "OPEN_METEO_GEOCODING_BASE_URL": f"http://127.0.0.1:{upstream_port}",
    }
