"""Publish the chunks of this worker's turns for readers in other workers.

Nothing is published of a turn that nobody else reads. Source: docs/contract.md, section 15.3.
"""

import gevent
import structlog
from flask import Flask
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session

from service.background import BackgroundWork
from service.chat.relay import publications
from service.chat.stream import chunks, sse
from service.chat.turn.running import Run
from service.database.access import background_transaction

PUBLISH_SECONDS = 0.2
TRIES = 50  # for the end of a turn while the database is unavailable

ENDINGS = (chunks.Finish, chunks.Abort, chunks.Error)

log = structlog.get_logger("turn")


class Publication:
    """The progress of publishing one run. It is published to its end, even without readers."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.published = 0  # the number of the newest chunk
        self.failures = 0
        self.is_over = False

    def write(self, session: Session) -> int:
        """Write the new chunks; returns the number of the newest chunk afterwards."""
        question = self.run.question
        # After a failure the commit may have succeeded. At the first write, an earlier publication
        # of the run may have stored rows.
        if self.failures or not self.published:
            newest = publications.newest(session, [question.turn_id])
            self.published = newest.get(question.turn_id, 0)
        new = list(self.run.log.after(self.published))
        if new:
            publications.add(
                session,
                question.turn_id,
                question.chat_id,
                after=self.published,
                events=list(map(sse.encode, new)),
                is_end=isinstance(new[-1], ENDINGS),
            )
        return self.published + len(new)


class Publisher(BackgroundWork):
    """Publishes the chunks of turns. It works only while there are turns to publish."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._publications: dict[str, Publication] = {}  # by turn id

    def __len__(self) -> int:
        return len(self._publications)

    def publish(self, run: Run) -> None:
        """Publish a run from its first chunk to its last."""
        turn_id = run.question.turn_id
        if turn_id not in self._publications:
            self._publications[turn_id] = Publication(run)
        self.wake()

    def finish(self, run: Run) -> None:
        """Publish an ended run if somebody may still want it.

        The client and further readers may come back for the chunks that they have not read. A
        reader may also have come so late that the claim watch has not seen it.
        """
        is_wanted = run.may_be_resumed or run.was_watched
        if is_wanted and run.interruption.reason != "deleted":
            self.publish(run)

    def _work(self) -> None:
        while self._publications:
            gevent.sleep(PUBLISH_SECONDS)
            for turn_id, publication in list(self._publications.items()):
                is_over = True  # also after an unexpected error: other turns wait
                try:
                    self._write(publication)
                    is_over = publication.is_over
                finally:
                    if is_over:
                        del self._publications[turn_id]

    def _write(self, publication: Publication) -> None:
        """Publish the new chunks of a turn. While the database is unavailable, try again later."""
        was_closed = publication.run.is_closed
        if len(publication.run.log) > publication.published:
            try:
                with background_transaction(self._app) as session:
                    newest = publication.write(session)
                publication.published = newest
            except IntegrityError:  # the chat was deleted
                publication.is_over = True
                return
            except (SQLAlchemyError, gevent.Timeout) as error:
                log.warning("chunks not published", error=type(error).__name__)
                publication.failures += 1
                publication.is_over = was_closed and publication.failures >= TRIES
                return
            publication.failures = 0
        publication.is_over = was_closed
