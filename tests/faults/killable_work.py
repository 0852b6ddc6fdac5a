"""A process that forks others, which do one piece of work each.

It is started by `python -m tests.faults.killable_work`.

It reads requests as lines of JSON, `[action, arguments]`, and answers each with the process id of a
fork, and then with what the fork has to say, or null if it was killed. The first line is the
settings. A fork takes a twentieth of a second; a new process would import for two.
"""

from gevent import monkey

from service.app_keys import APP_SETTINGS

monkey.patch_all()  # before anything imports ssl

import gc  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402
from typing import Any, TextIO  # noqa: E402

from flask import Flask  # noqa: E402
from gevent.os import fork_gevent  # noqa: E402
from sqlalchemy.orm import configure_mappers  # noqa: E402

from config import Settings, load  # noqa: E402
from service import create_app  # noqa: E402
from service.upkeep import sweeping  # noqa: E402
from tests.app_caches import freeze_loaded_objects, shared_caches  # noqa: E402
from tests.people import Person, person  # noqa: E402

SEARCH = "/api/integrations/neuralsearch-search"


def prepare(app: Flask, subjects: list[str]) -> list[str]:
    """A chat of each user."""
    return [_person(app, subject).new_chat() for subject in subjects]


def turn(app: Flask, subject: str, question: dict[str, Any]) -> list[Any]:
    """Send a message; returns the status, the answer's id and the stream."""
    answer = _person(app, subject).post("/api/ai/chat", question, buffered=False)
    return [answer.status_code, answer.headers.get("X-Asst-Id", ""), answer.get_data().decode()]


def call(app: Flask, subject: str, query: str) -> list[Any]:
    """Search with a key; returns the status and the body."""
    headers = {"Idempotency-Key": f"key-{query}"}
    answer = _person(app, subject).post(SEARCH, {"query": query}, headers=headers)
    return [answer.status_code, answer.json]


def sweep(app: Flask, lost: list[str]) -> int:
    with app.app_context():
        return sweeping.sweep(lost).holds


def again(app: Flask, works: list[tuple[str, list[str]]]) -> list[Any]:
    """Send everything once more."""
    return [ACTIONS[action](app, *arguments) for action, arguments in works]


ACTIONS = {action.__name__: action for action in (prepare, turn, call, sweep, again)}


def _person(app: Flask, subject: str) -> Person:
    return person(app.test_client(), APP_SETTINGS.of(app), subject)


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what the service logs
    settings = load(json.loads(sys.stdin.readline()))
    freeze_loaded_objects()
    with shared_caches():
        create_app(settings)  # what an app makes once is inherited
        configure_mappers()  # as is this; otherwise each fork does it, for its first query
        gc.freeze()
        for line in sys.stdin:
            _fork(settings, answers, *json.loads(line))


def _fork(settings: Settings, answers: TextIO, action: str, arguments: list[Any]) -> None:
    reading, writing = os.pipe()
    pid = fork_gevent()
    if not pid:
        said = ACTIONS[action](create_app(settings), *arguments)
        os.write(writing, json.dumps(said).encode())
        os._exit(0)  # before anything is written or closed in order
    monkey.get_original("os", "close")(writing)  # at once
    print(pid, file=answers, flush=True)
    with os.fdopen(reading, "rb") as said_by_fork:
        said = said_by_fork.read()
    monkey.get_original("os", "waitpid")(pid, 0)
    print(said.decode() or "null", file=answers, flush=True)


if __name__ == "__main__":
    main()
