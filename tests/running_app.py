"""An app with its sandbox running, as in a worker, for one test or for several."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask

from config import Settings
from service import create_app
from service.auth.users import rights_cache
from service.database.access import write_transaction
from service.extensions import db
from service.integrations.calling.breaker import Breakers
from tests.services import close, wait_for


@contextmanager
def running_app(settings: Settings) -> Iterator[Flask]:
    app = create_app(settings)
    listener = app.extensions.get("sandbox")
    try:
        if listener:
            listener.start()
        yield app
        wait_for(lambda: not app.extensions["runs"], 20)
    finally:
        close(app)


class SharedApp:
    """An app for several tests: each begins with an empty database and the first objects."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        app.extensions.complete()
        self._extensions = dict(app.extensions)
        self._catalog = app.extensions["proxy"].catalog
        with app.app_context(), db.engine.connect() as connection:
            tables = db.metadata.sorted_tables
            self._written = [one for one in tables if not connection.execute(one.select()).first()]

    def renew(self) -> Flask:
        rights_cache.clear()
        self.app.extensions.update(self._extensions)
        proxy: Any = self.app.extensions["proxy"]
        proxy.catalog, proxy.calls.breakers = self._catalog, Breakers(self.app)
        with self.app.app_context(), write_transaction() as session:
            for table in reversed(self._written):
                session.execute(table.delete())
        return self.app
