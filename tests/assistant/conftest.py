"""A turn whose tool calls wait for their user, read while it runs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gevent
import psycopg
import pytest
from gevent.event import Event
from sqlalchemy import event

from service.chat.calling import waits
from service.extensions import db
from tests.people import Person, chunks_so_far
from tests.postgres import LOCK_WAITS
from tests.services import wait_for

Chunks = list[dict[str, Any]]


@dataclass
class LiveTurn:
    """A turn that runs; `text` is its stream so far."""

    text: bytearray = field(default_factory=bytearray)
    greenlet: gevent.Greenlet | None = None

    @property
    def chunks(self) -> Chunks:
        return chunks_so_far(bytes(self.text))

    def part(self, kind: str, state: str = "asked") -> dict[str, Any]:
        """The data of the newest part of a kind, once it is in this state."""
        found: list[dict[str, Any]] = []

        def is_there() -> bool:
            found[:] = [one["data"] for one in self.chunks if one["type"] == kind][-1:]
            return bool(found) and found[0]["state"] == state

        wait_for(is_there, 10)
        return found[0]

    def end(self) -> Chunks:
        """All of its chunks."""
        assert self.greenlet is not None  # one that has ended is false
        self.greenlet.get(timeout=20)
        return self.chunks


@pytest.fixture(autouse=True)
def looks_often(monkeypatch):
    monkeypatch.setattr(waits, "LOOK_SECONDS", 0.02)


@pytest.fixture
def chat(alice):
    return alice.new_chat()


@pytest.fixture
def begin(app) -> Iterator[Callable[..., LiveTurn]]:
    """Begin a turn of somebody's, and read it in a greenlet of its own."""

    def start(person: Person, chat: str, content: str = "go", **body: Any) -> LiveTurn:
        response, turn = person.ask(chat, content, **body), LiveTurn()
        assert response.status_code == 200, response.get_data()

        def read() -> None:
            for piece in response.iter_encoded():
                turn.text.extend(piece)

        turn.greenlet = gevent.spawn(read)
        return turn

    yield start
    for run in app.extensions["runs"]:
        run.leave()
    wait_for(lambda: not app.extensions["runs"])


@dataclass
class Pause:
    """`came` is set before a statement that begins so, which waits there for `go`."""

    beginning: str
    skip: int  # statements that begin so and go by before
    came: Event = field(default_factory=Event)
    go: Event = field(default_factory=Event)


@pytest.fixture
def pause(app):
    """Let a greenlet wait, once, before a statement that begins so, until the second event.

    `skip` is how many statements that begin so go by before.
    """
    pauses = {}

    def wait(connection, cursor, statement, *_):
        waiting = pauses.get(gevent.getcurrent())
        if waiting is None or not statement.startswith(waiting.beginning):
            return
        if waiting.skip:
            waiting.skip -= 1
            return
        del pauses[gevent.getcurrent()]
        waiting.came.set()
        assert waiting.go.wait(60)

    def before(greenlet, beginning, skip=0):
        paused = pauses[greenlet] = Pause(beginning, skip)
        return paused.came, paused.go

    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", wait)
    yield before
    event.remove(engine, "before_cursor_execute", wait)


class Other:
    """Another client of the database."""

    def __init__(self, url: str) -> None:
        self.connection = psycopg.connect(url.replace("+psycopg", ""))
        self.watcher = psycopg.connect(url.replace("+psycopg", ""), autocommit=True)

    def lock(self, table: str, where: str, how: str = "") -> None:
        self.connection.execute(f"select from {table} where {where} for update {how}")

    def lock_account(self) -> None:
        self.lock("accounts", "subject = 'alice'")

    def sees_waiting(self, count: int) -> None:
        """Wait until so many transactions wait for locks."""
        wait_for(lambda: self.watcher.execute(LOCK_WAITS).fetchone() == (count,), 10)

    def release(self) -> None:
        self.connection.commit()

    def close(self) -> None:
        self.connection.close()
        self.watcher.close()


@pytest.fixture
def other(app, database_url):
    client = Other(database_url)
    yield client
    client.close()
