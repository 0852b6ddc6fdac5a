"""Readers of running turns other than the clients that asked, for turns in any worker.

A turn of this worker puts its chunks into the reader's channel. A turn of another worker publishes
its chunks as rows once its claim says that somebody watches. One greenlet reads the rows of all
such turns. Source: docs/contract.md, section 15.3.
"""

import json
import socket
import time
from collections import Counter

import gevent
import structlog
from flask import Flask
from sqlalchemy import bindparam, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.app_keys import AppKey
from service.background import BackgroundWork
from service.chat import claims
from service.chat.models import Chat
from service.chat.relay import publications
from service.chat.relay.publisher import Publisher
from service.chat.stream import chunks, sse
from service.chat.stream.channel import Channel, Item
from service.chat.stream.direct import DirectWriter
from service.chat.stream.parts import Assembly
from service.chat.stream.reader import Reader
from service.chat.turn.claim_watch import CLAIM_WATCH
from service.chat.turn.running import RUNS, Run, Runs
from service.database.access import background_context, write_transaction
from service.extensions import db
from service.lifecycle import LIFECYCLE
from service.observing import measures
from service.web.errors import RateLimited

WATCHERS = AppKey["Watchers"]("watchers")
MOST_WATCHERS = 20  # of one user in one worker, like sockets; each takes a connection
LOOK_SECONDS = 0.2  # between looks at the rows
RENEW_SECONDS = 2.0  # between requests to continue publishing
LOST_SECONDS = 5.0  # without a claim and without a new row
LOST = "The answer broke off. Please try again."
TOO_MANY = f"A user may read at most {MOST_WATCHERS} running replies again at a time."

CHAT = select(Chat.seq).where(Chat.record_id == bindparam("chat"))

log = structlog.get_logger("turn")


class Watcher(Reader):
    """Reads the chunks of one turn after the one numbered `number`.

    Each event has an id made of `turn_id` and the number of the chunk, so that a client can
    continue after it.
    """

    def __init__(
        self,
        chat_id: str,
        turn_id: str,
        number: int,
        sock: socket.socket | None,
        writer: DirectWriter | None = None,
        user_id: str = "",
        assistant_message_id: str | None = None,
    ) -> None:
        """`assistant_message_id` is the id of the reply, or None if it is unknown."""
        self.channel, self.user_id = Channel(), user_id
        super().__init__(self.channel, sock, turn_id, writer)
        self.chat_id, self.turn_id, self.number = chat_id, turn_id, number
        self.assistant_message_id = assistant_message_id
        self._start = number
        self.events: list[bytes] = []  # of a turn in another worker, from its first one
        self.seen = time.monotonic()  # when its turn was last known to run

    def _encode(self, item: Item) -> bytes:
        self.number += 1
        event = item if isinstance(item, bytes) else sse.encode(item)
        return b"id: %b:%d\n%b" % (self.turn_id.encode(), self.number, event)

    def receive(self, published: publications.Published) -> None:
        """Take the chunks after those received before. The client may have read some of them."""
        for number, event in enumerate(published.events, len(self.events) + 1):
            if number > self._start:
                self.channel.put(event)
        self.events += published.events
        self.seen = time.monotonic()
        if published.is_end:
            self.channel.close()


class Watchers(BackgroundWork):
    """All watchers of this worker. It works only while there are any."""

    def __init__(self, app: Flask, runs: Runs) -> None:
        self._app = app
        self._runs = runs
        self._here: dict[Watcher, Run] = {}
        self._elsewhere: set[Watcher] = set()
        self._of_user: Counter[str] = Counter()
        self._renewed = float("-inf")

    def __len__(self) -> int:
        return len(self._here) + len(self._elsewhere)

    def can_read(self, turn_id: str) -> bool:
        """Return whether a turn runs here, or in a worker that will publish it to its end.

        A turn may end without being published until this is called.
        """
        if self._runs.get(turn_id):
            return True
        with write_transaction() as session:
            return turn_id in claims.watch(session, [turn_id])

    def add(self, watcher: Watcher) -> None:
        """Make a watcher receive the chunks of its turn, wherever the turn runs.

        Raises `RateLimited` if its user has too many watchers.
        """
        if self._of_user[watcher.user_id] >= MOST_WATCHERS:
            measures.LIMITED.labels("readers-at-once").inc()
            raise RateLimited(TOO_MANY)
        self._of_user[watcher.user_id] += 1
        run = self._runs.get(watcher.turn_id)
        if run:
            self._here[watcher] = run
            run.watch(watcher.channel, watcher.number)
        else:
            self._elsewhere.add(watcher)
            self._renewed = float("-inf")  # its turn is requested at once
        self.wake()

    def remove(self, watcher: Watcher) -> None:
        """Remove a watcher whose client has left or has read everything."""
        watcher.channel.abandon()
        if watcher in self._here or watcher in self._elsewhere:
            self._of_user[watcher.user_id] -= 1
            if not self._of_user[watcher.user_id]:
                del self._of_user[watcher.user_id]
        self._elsewhere.discard(watcher)
        run = self._here.pop(watcher, None)
        if run:
            run.unwatch(watcher.channel)

    def drain(self, _grace: float) -> None:
        """Close the connections of readers of other workers' turns; they reconnect elsewhere.

        The streams get no ending, because these turns continue.
        """
        for watcher in self._elsewhere:
            watcher.cut()

    def _work(self) -> None:
        while len(self):
            if self._elsewhere:
                self._look_safely()
            gevent.sleep(LOOK_SECONDS)
            now = time.monotonic()
            for watcher in [*self._here, *self._elsewhere]:
                watcher.check(now)

    def _look_safely(self) -> None:
        try:
            with background_context(self._app):
                self._renew_if_due()
                self._receive(db.session())
                db.session.commit()
        except (SQLAlchemyError, gevent.Timeout) as error:
            log.warning("chunks not read", error=type(error).__name__)
            for watcher in self._elsewhere:  # their turns may still run
                watcher.seen = time.monotonic()

    def _renew_if_due(self) -> None:
        """Ask the other workers to continue publishing, and give up lost turns."""
        now = time.monotonic()
        if now - self._renewed < RENEW_SECONDS:
            return
        wanted = {watcher.turn_id for watcher in self._elsewhere}
        with write_transaction() as session:
            running = claims.watch(session, wanted)
        self._renewed = now
        for watcher in list(self._elsewhere):
            if watcher.turn_id in running:
                watcher.seen = now
            elif now - watcher.seen > LOST_SECONDS:
                self._give_up(watcher)

    def _receive(self, session: Session) -> None:
        open_ones = [one for one in self._elsewhere if not one.channel.closed]
        newest = publications.newest(session, {watcher.turn_id for watcher in open_ones})
        for watcher in open_ones:
            had = len(watcher.events)
            if newest.get(watcher.turn_id, 0) > had:
                watcher.receive(publications.read(session, watcher.turn_id, had))

    def _give_up(self, watcher: Watcher) -> None:
        """Close the open parts of a turn whose worker or chat is gone, and end its stream."""
        if watcher.channel.closed:
            return
        is_deleted = db.session.scalar(CHAT, {"chat": watcher.chat_id}) is None
        if not is_deleted:
            log.warning("watched turn lost", turn_id=watcher.turn_id)
        for chunk in _closing(watcher.events):
            watcher.channel.put(chunk)
        watcher.channel.put(chunks.Abort() if is_deleted else chunks.Error(LOST))
        watcher.channel.close()


def _closing(events: list[bytes]) -> list[chunks.Chunk]:
    """Return the chunks that close the open parts of these events.

    None are returned if a newer release wrote chunks that this one can't read.
    """
    assembly = Assembly()
    try:
        for event in events:
            assembly.apply(chunks.from_json(json.loads(event.removeprefix(b"data: "))))
    except (LookupError, TypeError, ValueError) as error:
        log.warning("chunks not understood", error=type(error).__name__)
        return []
    return list(assembly.closing())


def init_app(app: Flask) -> None:
    """Set up this worker's readers of running turns, and its publisher for other workers."""
    publisher = app.extensions["publisher"] = Publisher(app)
    runs = RUNS.of(app)
    watchers = WATCHERS.set(app, Watchers(app, runs))
    CLAIM_WATCH.of(app).on_watched(publisher.publish)
    runs.on_end(publisher.finish)
    lifecycle = LIFECYCLE.of(app)
    lifecycle.on_drain(watchers.drain)
    lifecycle.ends_after(lambda: not publisher)
