"""Where a load runs: two workers of gunicorn behind nginx, and PostgreSQL behind a proxy."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from config import ROOT, load
from tests.faults.database_proxy import DatabaseProxy
from tests.faults.unit import Unit
from tests.load.upstream import Model, Vendor
from tests.nginx import Nginx, run_nginx
from tests.services import SECRET, Databases, Service, environment, flask, free_port

CREDITS = 1_000_000  # of each user: no load may use them up
SEARCH_SECONDS = 0.2
LIMITS = ("TURNS_AT_ONCE", "CALLS_AT_ONCE", "JOBS_AT_ONCE")  # as an operator has them
DEFAULTS = load({"AUTH_SECRET": SECRET})


class Installed:
    """The service as its unit: `restart` is `systemctl reload`."""

    def __init__(self, url: str, directory: Path, values: dict[str, object]) -> None:
        self.port = free_port()
        self._unit = Unit(ROOT, directory, environment(url, PORT=self.port, **values))
        self._unit.start()

    @property
    def main(self) -> int:
        return self._unit.main

    def restart(self) -> bool:
        return self._unit.reload()

    def stop(self) -> None:
        self._unit.stop()

    @property
    def log(self) -> str:
        return self._unit.journal


class Quick:
    """The service started by a fork, which takes less time: `restart` stops it first."""

    def __init__(self, url: str, values: dict[str, object]) -> None:
        self._service = Service(url, **values).start()
        self.port = self._service.port

    @property
    def main(self) -> int:
        return self._service.process.pid

    def restart(self) -> bool:
        self._service.stop()
        self._service.start()
        return True

    def stop(self) -> None:
        self._service.remove()

    @property
    def log(self) -> str:
        return self._service.log.read_text()


@dataclass
class Deployment:
    """`url` is the database's own address, past the proxy."""

    url: str
    server: Installed | Quick
    proxy: DatabaseProxy
    nginx: Nginx
    model: Model
    vendor: Vendor

    def workers(self) -> list[int]:
        """Process ids, oldest first. None between two masters."""
        children = Path(f"/proc/{self.server.main}/task/{self.server.main}/children")
        return [int(pid) for pid in children.read_text().split()] if children.exists() else []

    def sweep(self) -> str:
        return flask(self.url, "sweep")


@contextmanager
def deploy(databases: Databases, directory: Path, quick: bool) -> Iterator[Deployment]:
    with ExitStack() as stack:
        model, vendor = Model(), Vendor(SEARCH_SECONDS)
        stack.callback(model.stop)
        stack.callback(vendor.stop)
        url = databases.make("postgresql")
        proxy = DatabaseProxy(databases.cluster.directory)
        stack.callback(proxy.stop)
        proxied = url.replace(databases.cluster.directory, proxy.directory)
        values: dict[str, object] = {"WEB_CONCURRENCY": 2, "STARTING_CREDITS": CREDITS}
        values |= {"PROVIDER_A_BASE_URL": model.url, "PROVIDER_A_API_KEY": "key"}
        values |= {name: getattr(DEFAULTS, name.lower()) for name in LIMITS}
        values |= {"EXA_BASE_URL": vendor.url, "EXA_API_KEY": "key", "GRACEFUL_TIMEOUT": 10}
        server = Quick(proxied, values) if quick else Installed(proxied, directory, values)
        stack.callback(server.stop)
        nginx = stack.enter_context(run_nginx(server.port, directory))
        yield Deployment(url, server, proxy, nginx, model, vendor)
