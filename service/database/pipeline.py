"""Send statements together, and read their answers when the first of them is needed.

A statement is prepared once for each connection. It goes through libpq's pipeline mode, without
psycopg's cursors, which take twice the CPU, and without psycopg's own pipeline, which takes more
than it saves. psycopg converts the values. Source: docs/decisions/0039 and
https://www.postgresql.org/docs/current/libpq-pipeline-mode.html
"""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import count
from typing import Any

import psycopg
from psycopg import abc
from psycopg._preparing import PrepareManager
from psycopg.abc import PQGen
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import PipelineAborted, error_from_result
from psycopg.pq import ConnStatus, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult
from psycopg.waiting import WAIT_R, WAIT_RW

from service.database.postgresql_wait import ClosedOnError, CooperativeConnection

BEGIN, COMMIT = b"BEGIN", b"COMMIT"
# A column's type has changed since the statement was prepared, or the statement no longer exists.
# This connection would refuse it each time; others would not.
STALE = ("0A000", "26000")
EXECUTED = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK)


class PipelineReply:
    """The answer to a statement. It has those attributes of a DBAPI cursor that are read."""

    __slots__ = ("_connection", "is_of_prepare", "result", "text")

    def __init__(
        self, connection: "PipelinedConnection", text: bytes, is_of_prepare: bool = False
    ) -> None:
        self._connection = connection
        self.text = text
        self.is_of_prepare = is_of_prepare
        self.result: PGresult | None = None

    @property
    def rowcount(self) -> int:
        return self._await_answer().command_tuples or 0

    def fetchall(self) -> list[tuple[Any, ...]]:
        result = self._await_answer()
        adapting = self._connection.adapting
        adapting.set_pgresult(result)
        return adapting.load_rows(0, result.ntuples, tuple)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Yield the rows one at a time. Other statements may be sent meanwhile."""
        result = self._await_answer()
        adapting = Transformer(self._connection)
        adapting.set_pgresult(result)
        for number in range(result.ntuples):
            row = adapting.load_row(number, tuple)
            assert row is not None
            yield row

    def close(self) -> None:
        self.result = None

    @property
    def is_executed(self) -> bool:
        return self.result is not None and self.result.status in EXECUTED

    def _await_answer(self) -> PGresult:
        if self.result is None:
            self._connection.await_replies()
        if self.result is None or not self.is_executed:
            raise PipelineAborted("a statement before it was refused")
        return self.result


class KeptStatements(PrepareManager):
    """psycopg's manager of prepared statements, which keeps them after a rollback.

    psycopg would discard all statements of the connection, also ours, in case a table was dropped
    and created again. PostgreSQL itself looks up the tables of a statement again after a change.
    """

    def clear(self) -> bool:
        return False


class PipelinedConnection(CooperativeConnection):
    """A connection that sends statements with the next awaited one, or with the commit.

    An error is raised there too. Its `statement` is the text of the refused statement; the
    statements after it were not executed. A transaction that this class begins has the server's
    default isolation level.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._prepared = KeptStatements()
        self._replies: list[PipelineReply] = []
        self._syncs = 0  # sent syncs whose answers have not been read
        self._names: dict[bytes, bytes] = {}
        self._numbers = count()

    @cached_property
    def adapting(self) -> abc.Transformer:
        return Transformer(self)  # SQLAlchemy sets the adapters after the connection was made

    def post(self, text: bytes, values: Sequence[Any]) -> PipelineReply:
        """Add a statement with the values of $1 and so on, in a transaction.

        Its values are sent as text, and the server infers their types. Otherwise the types, and so
        the prepared statement, would change with the size of a number.
        """
        given = self.adapting.dump_sequence(values, [PyFormat.TEXT] * len(values))
        with ClosedOnError(self):
            if not self._replies:
                self._enter()
            self.pgconn.send_query_prepared(self._name(text), given)
        return self._expect(PipelineReply(self, text))

    def flush(self) -> None:
        """Send the posted statements, without waiting for answers. `await_replies` reads these."""
        with ClosedOnError(self):
            self._syncs += 1
            super().wait(_send_all(self.pgconn))

    def await_replies(self) -> None:
        """Send the posted statements, and wait for all answers. Raises the first error in them."""
        replies, self._replies = self._replies, []
        if not replies:
            return
        syncs, self._syncs = self._syncs + 1, 0
        with ClosedOnError(self):
            super().wait(_exchange(self.pgconn, replies, syncs))
            self.pgconn.exit_pipeline_mode()
        failed = [reply for reply in replies if not reply.is_executed]
        for reply in failed:
            if reply.is_of_prepare:
                del self._names[reply.text]
        if failed:
            assert failed[0].result is not None
            error: Any = error_from_result(failed[0].result, self.info.encoding)
            error.statement = failed[0].text.decode()
            if error.sqlstate in STALE:
                self.close()
            raise error

    def wait(self, gen: PQGen[Any], *args: Any, **options: Any) -> Any:
        """Complete an operation of psycopg's, after the posted statements."""
        if self._replies:
            self.await_replies()
        return super().wait(gen, *args, **options)

    def commit(self) -> None:
        if not self._replies:
            super().commit()
            return
        self.post(COMMIT, ())
        try:
            self.await_replies()
        except psycopg.Error:
            if not self.closed:
                self.rollback()  # COMMIT was not executed after a refused statement
            raise

    def rollback(self) -> None:
        if self._replies:
            with suppress(psycopg.Error):  # its transaction is rolled back
                self.await_replies()
        super().rollback()

    def _enter(self) -> None:
        is_idle = self.pgconn.transaction_status == TransactionStatus.IDLE
        self.pgconn.enter_pipeline_mode()
        if is_idle and not self.autocommit:
            self.pgconn.send_query_prepared(self._name(BEGIN), ())
            self._expect(PipelineReply(self, BEGIN))

    def _name(self, text: bytes) -> bytes:
        """Return the name of the prepared statement, after preparing it if that is needed.

        It begins as the statement does, so that operators and tests recognise it.
        """
        name = self._names.get(text)
        if name is None:
            name = self._names[text] = b"%.40b #%d" % (text, next(self._numbers))
            self.pgconn.send_prepare(name, text)
            self._expect(PipelineReply(self, text, is_of_prepare=True))
        return name

    def _expect(self, reply: PipelineReply) -> PipelineReply:
        self._replies.append(reply)
        return reply


def _send_all(pgconn: PGconn) -> PQGen[None]:
    """Send all statements. Yield the socket's states for which psycopg has to wait."""
    pgconn.pipeline_sync()
    while pgconn.flush():  # the server reads no further while nobody reads its answers
        yield WAIT_RW
        pgconn.consume_input()


def _exchange(pgconn: PGconn, replies: list[PipelineReply], syncs: int) -> PQGen[None]:
    """Send all statements, and read the answer of each and of `syncs` syncs."""
    waiting = deque(replies)
    yield from _send_all(pgconn)
    while syncs:
        while pgconn.is_busy():
            yield WAIT_R
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is None:  # the end of a statement's answer
            if pgconn.status == ConnStatus.BAD:
                raise psycopg.OperationalError("the connection is lost")
        elif result.status == ExecStatus.PIPELINE_SYNC:
            syncs -= 1
        elif waiting:
            waiting.popleft().result = result
        else:  # not about a statement: the server ends the connection
            raise error_from_result(result)
