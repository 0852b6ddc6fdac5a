"""Load a chat for its next turn: the cached summary, and the rows that it does not cover.

A summary is valid only while its rows and their remarks are unchanged. Its fingerprint is a hash of
the number of rows, the sum of their sequence numbers, the sum and the maximum of the times of their
last changes, and the number of rows whose turn was undone. An edit changes the row's time, and so
the sum, even if the clock is wrong. An index contains all these values of the rows; reading the
rows themselves takes fifty times as long. An undo is the only remark that can be made after the row
is stored.
"""

import hashlib
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, delete, exists, func, or_, select
from sqlalchemy.orm import Session

from service.chat.history.messages import StoredMessage
from service.chat.models import Message, Summary, Turn, Undo
from service.chat.question import Question
from service.database.clock import microseconds
from service.database.prepared import Prepared
from service.database.statements import Statements
from service.extensions import table
from service.fairness import let_others_run
from service.times import EPOCH, MICROSECOND, now, timestamp

PARSED_AT_ONCE = 50  # rows: they take 1 ms
PARSING_SECONDS = 0.01  # until others run, if rows with large results take longer
PROMPT_VERSION = 1  # of the summarizer's instructions
FAILURES = 3  # consecutive ones; then the chat is not summarised for `REST_SECONDS`
REST_SECONDS = 600
REFUSED = "content-filter"
LAST_SEQ = 2**63 - 1  # the largest possible number
# Times are summed modulo twelve days. SQLite's sums end at 2**63, which 5000 full times exceed.
CYCLE = 10**12  # microseconds

_messages, _turns, _summaries = table(Message), table(Turn), table(Summary)
_of_chat = _messages.c.chat_id == bindparam("chat")

CACHED = Prepared(select(_summaries).where(_summaries.c.chat_id == bindparam("chat")))
COVERED = Prepared(
    select(
        func.count().label("rows"),
        func.sum(_messages.c.seq).label("numbers"),
        func.sum(microseconds(_messages.c.updated_at) % CYCLE).label("changes"),
        func.max(_messages.c.updated_at).label("newest"),
    ).where(_of_chat, _messages.c.seq <= bindparam("upto"))
)
ROWS = Prepared(
    select(
        _messages.c.seq,
        _messages.c.record_id,
        _messages.c.role,
        _messages.c.content,
        _messages.c.parts,
        _messages.c.edited,
        _messages.c.updated_at,
    )
    .where(_of_chat, _messages.c.seq > bindparam("after"), _messages.c.seq < bindparam("end"))
    .order_by(_messages.c.seq)
)
_is_undone = exists().where(table(Undo).c.turn_id == _turns.c.turn_id)
# Turns whose rows are not sent to the model, or in another form, or with a remark.
ODD_ENDS = Prepared(
    select(
        _turns.c.user_message_id,
        _turns.c.assistant_message_id,
        _turns.c.status,
        _turns.c.finish_reason,
        _is_undone.label("is_undone"),
    ).where(
        _turns.c.chat_id == bindparam("chat"),
        or_(_turns.c.status == "aborted", _turns.c.finish_reason == REFUSED, _is_undone),
    )
)
# Starts from the chat's turns: for each message, SQLite would read all turns of the user.
_is_covered = exists().where(
    _messages.c.user_id == _turns.c.user_id,
    _messages.c.record_id == _turns.c.assistant_message_id,
    _of_chat,
    _messages.c.seq <= bindparam("upto"),
)
UNDONE = Prepared(
    select(func.count().label("rows"))
    .select_from(_turns)
    .where(_turns.c.chat_id == bindparam("chat"), _is_undone, _is_covered)
)


class Cover(NamedTuple):
    """The rows of a summary.

    `rows` is their number, `numbers` the sum of their sequence numbers, `changes` the sum of the
    times of their last changes in microseconds, `newest` the newest of these times, `last` the last
    sequence number, and `undone` the number of answers whose turn was undone.
    """

    rows: int = 0
    numbers: int = 0
    changes: int = 0
    newest: str = ""
    last: int = 0
    undone: int = 0

    def with_row(self, seq: int, changed: datetime, undone: bool) -> "Cover":
        numbers = self.numbers + seq
        changes = self.changes + (changed - EPOCH) // MICROSECOND % CYCLE
        newest, last = max(self.newest, timestamp(changed)), max(self.last, seq)
        return Cover(self.rows + 1, numbers, changes, newest, last, self.undone + undone)

    def fingerprint(self, model_id: str) -> str:
        # Without an undo it is the hash of releases before undos, so their summaries stay valid.
        facts = tuple(self) if self.undone else tuple(self)[:-1]
        return hashlib.sha256(f"{PROMPT_VERSION} {model_id} {facts}".encode()).hexdigest()


@dataclass(frozen=True)
class Recalled:
    """A chat as it is stored; `changed` has the times of the rows' last changes, in their order."""

    rows: tuple[StoredMessage, ...]
    changed: tuple[datetime, ...] = ()
    summary: str | None = None
    cover: Cover = Cover()
    resting: bool = False  # the summariser has failed too often

    def cover_before(self, cut: int) -> Cover:
        """Return the cover of a summary of all rows before this index."""
        cover = self.cover
        for row, changed in zip(self.rows[:cut], self.changed[:cut], strict=True):
            cover = cover.with_row(row.seq, changed, row.undone)
        return cover


def load(connection: Connection, question: Question, summary_model: str) -> Recalled:
    """Load the chat, without the messages that this turn replaces and any after them.

    A turn and its rows are stored in one transaction, and each statement sees what was committed
    before it. So reading the turns after the rows finds the turn of every row.
    """
    cached = CACHED.row(connection, {"chat": question.chat_id})
    cover = _cover(connection, question, cached) if cached and cached.text else Cover()
    valid = cached is not None and cached.fingerprint == cover.fingerprint(summary_model)
    if not valid:
        cover = Cover()
    rows = _rows(connection, question, cover.last)
    ends = ODD_ENDS.rows(connection, {"chat": question.chat_id})
    return Recalled(
        rows=_mark(rows, ends),
        changed=tuple(row.updated_at for row in rows),
        summary=cached.text if cached and valid else None,
        cover=cover,
        resting=cached is not None and _rests(cached),
    )


def _cover(connection: Connection, question: Question, cached: Any) -> Cover:
    """Return the cover of the cached summary's range now; empty if this turn replaces some rows."""
    range_ = {"chat": question.chat_id, "upto": cached.covers_seq}
    if question.history_end is not None and question.history_end <= cached.covers_seq:
        return Cover()
    covered, undone = COVERED.row(connection, range_), UNDONE.row(connection, range_)
    newest = timestamp(covered.newest) if covered.newest else ""
    sums = int(covered.numbers or 0), int(covered.changes or 0)
    return Cover(covered.rows, *sums, newest, cached.covers_seq, undone.rows)


def _rows(connection: Connection, question: Question, after: int) -> list[Any]:
    end = LAST_SEQ if question.history_end is None else question.history_end
    keys = {"chat": question.chat_id, "after": after, "end": end}
    rows: list[Any] = []
    pause = time.monotonic() + PARSING_SECONDS
    with closing(ROWS.each(connection, keys)) as found:
        for number, row in enumerate(found, 1):
            rows.append(row)
            if number % PARSED_AT_ONCE == 0 or time.monotonic() > pause:
                let_others_run()
                pause = time.monotonic() + PARSING_SECONDS
    return rows


def _mark(rows: list[Any], ends: Iterable[Any]) -> tuple[StoredMessage, ...]:
    """Return the rows with their marks.

    A question counts as refused only together with its answer, because it may have been sent again
    since.
    """
    here = {row.record_id for row in rows}
    cut_short, refused, undone = set(), set(), set()
    for end in ends:
        if end.assistant_message_id in here and end.finish_reason == REFUSED:
            refused |= {end.user_message_id, end.assistant_message_id}
        elif end.status == "aborted":
            cut_short.add(end.assistant_message_id)
        if end.is_undone:
            undone.add(end.assistant_message_id)
    return tuple(  # a row's attribute takes as long as all of its values in order
        StoredMessage(
            seq,
            role,
            content,
            parts,
            edited=bool(edited),
            cut_short=record_id in cut_short,
            refused=record_id in refused,
            undone=record_id in undone,
        )
        for seq, record_id, role, content, parts, edited, _ in rows
    )


def _rests(cached: Any) -> bool:
    if cached.failures < FAILURES or cached.failed_at is None:
        return False
    # A failure in the future does not count: the clock was set back.
    since: timedelta = now() - cached.failed_at
    return 0 <= since.total_seconds() < REST_SECONDS


def keep(session: Session, chat_id: str, text: str, cover: Cover, model_id: str) -> None:
    """Cache a summary. It replaces the chat's earlier one."""
    cached = session.get(Summary, chat_id) or Summary(chat_id=chat_id)
    cached.text, cached.covers_seq = text, cover.last
    cached.fingerprint = cover.fingerprint(model_id)
    cached.failures, cached.failed_at = 0, None
    session.add(cached)


def note_failure(session: Session, chat_id: str) -> None:
    cached = session.get(Summary, chat_id) or Summary(chat_id=chat_id, failures=0)
    cached.failures, cached.failed_at = cached.failures + 1, now()
    session.add(cached)


def forget(session: Statements, chat_id: str, covering: int = 0) -> None:
    """Delete the chat's summary if it covers the message with the sequence number `covering`."""
    of_chat = (Summary.chat_id == chat_id, Summary.covers_seq >= covering)
    session.execute(delete(Summary).where(*of_chat))
