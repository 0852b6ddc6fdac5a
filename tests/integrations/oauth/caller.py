"""One of several processes that call at once: `python -m tests.integrations.oauth.caller`.

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
from gevent.pool import Pool  # noqa: E402

from service import create_app  # noqa: E402
from service.extensions import db  # noqa: E402
from service.integrations import everything  # noqa: E402
from service.integrations.consent import authority, refreshing  # noqa: E402
from service.integrations.models import Breaker  # noqa: E402
from tests.integrations.oauth import suite  # noqa: E402
from tests.services import settings_for  # noqa: E402

stdin = FileObject(sys.stdin.fileno(), "r", closefd=False)  # lets others run while it waits
apps: list[Flask] = []


def open_app(url: str, settings: dict[str, str]) -> bool:
    everything.catalog = suite.catalog
    apps.append(create_app(settings_for(url, **settings)))
    return True


def limit(deadline: float, lease: float, pause: float) -> bool:
    """Seconds for a refresh, for its lease, and after a failure."""
    authority.SECONDS, refreshing.LEASE = deadline, timedelta(seconds=lease)
    refreshing.COOL_DOWN = timedelta(seconds=pause)
    return True


def close_app() -> bool:
    app = apps.pop()
    app.extensions["claim_watch"].stop()
    app.extensions["feed"].stop()
    app.extensions["upstream"].close()
    with app.app_context():
        db.engine.dispose()
    return True


def call(token: str, count: int) -> dict[str, Any]:
    """`count` calls at once; how they ended, and how many unrelated queries did meanwhile."""
    queries: list[int] = []
    watching = gevent.spawn(watch, queries)
    headers = {"Authorization": f"Bearer {token}"}

    def one(_: int) -> list[Any]:
        client = apps[-1].test_client()
        answer = client.post("/api/integrations/cloudsuite/mail-list", headers=headers)
        return [answer.status_code, answer.json.get("message", "")]

    try:
        return {"answers": Pool(count).map(one, range(count)), "queries": len(queries)}
    finally:
        watching.kill()


def watch(queries: list[int]) -> None:
    """A query that has nothing to do with grants, again and again."""
    while True:
        gevent.sleep(0.02)
        with apps[-1].app_context():
            db.session.scalar(db.select(Breaker.failures))
            db.session.commit()
        queries.append(1)


DEEDS = {deed.__name__: deed for deed in (open_app, limit, close_app, call)}


def main() -> None:
    while line := stdin.readline():
        deed, *arguments = json.loads(line)
        print(json.dumps(DEEDS[deed](*arguments)), flush=True)


if __name__ == "__main__":
    main()
