"""One of several processes that call at once; tests/forking.py starts them.

It reads `[deed, argument…]` as JSON, one a line, and prints what came of it as JSON.
"""

from gevent import monkey

monkey.patch_all()  # as gunicorn and wsgi.py do: psycopg would block every greenlet otherwise

import json  # noqa: E402
import sys  # noqa: E402
from datetime import timedelta  # noqa: E402
from typing import Any  # noqa: E402

import gevent  # noqa: E402
from flask import Flask  # noqa: E402
from gevent.fileobject import FileObject  # noqa: E402

from service import create_app  # noqa: E402
from service.database import access, refresh_leases  # noqa: E402
from service.extensions import db  # noqa: E402
from service.integrations import everything  # noqa: E402
from service.integrations.consent import authority  # noqa: E402
from service.integrations.models import Breaker  # noqa: E402
from tests.integrations.oauth import endpoints  # noqa: E402
from tests.services import close, settings_for  # noqa: E402

access.POOL_SECONDS = 60  # of 15 calls 5 wait for a connection: on a busy machine for seconds
apps: list[Flask] = []
calls: list["Calls"] = []


def open_app(url: str, settings: dict[str, str]) -> bool:
    everything.catalog = endpoints.catalog
    apps.append(create_app(settings_for(url, **settings)))
    return True


def limit(deadline: float, lease: float, pause: float) -> bool:
    """Seconds for a refresh, for its lease, and after a failure."""
    authority.ANSWER_SECONDS, refresh_leases.LEASE = deadline, timedelta(seconds=lease)
    refresh_leases.COOL_DOWN = timedelta(seconds=pause)
    return True


def close_app() -> bool:
    close(apps.pop())
    return True


def begin_calls(token: str, count: int) -> bool:
    calls.append(Calls(token, count))
    return True


def count_queries() -> int:
    return calls[-1].queries


def end_calls() -> list[list[Any]]:
    return calls.pop().answers()


def call(token: str, count: int) -> list[list[Any]]:
    begin_calls(token, count)
    return end_calls()


class Calls:
    """`count` calls at once, beside queries that have nothing to do with grants."""

    def __init__(self, token: str, count: int) -> None:
        self.queries = 0
        self._headers = {"Authorization": f"Bearer {token}"}
        self._watching = gevent.spawn(self._watch)
        self._all = [gevent.spawn(self._one) for _ in range(count)]

    def answers(self) -> list[list[Any]]:
        """The status and the message of each answer, when all have arrived."""
        try:
            return [one.get() for one in self._all]
        finally:
            self._watching.kill()

    def _one(self) -> list[Any]:
        client = apps[-1].test_client()
        answer = client.post("/api/integrations/cloudsuite/mail-list", headers=self._headers)
        return [answer.status_code, answer.json.get("message", "")]

    def _watch(self) -> None:
        while True:
            gevent.sleep(0.02)
            with apps[-1].app_context():
                db.session.scalar(db.select(Breaker.failures))
                db.session.commit()
            self.queries += 1


DEEDS = {
    deed.__name__: deed
    for deed in (open_app, limit, close_app, call, begin_calls, count_queries, end_calls)
}


def main() -> None:
    lines = FileObject(sys.stdin.fileno(), "r", closefd=False)  # lets others run while it waits
    while line := lines.readline():
        deed, *arguments = json.loads(line)
        print(json.dumps(DEEDS[deed](*arguments)), flush=True)
