"""The rows in which a worker publishes the chunks of a running turn for other workers.

Each row has the chunks of one moment as server-sent events, in the turn's order. A turn's chunks
are numbered from 1. Source: docs/contract.md, section 15.3.
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from sqlalchemy import bindparam, delete, exists, func, insert, select
from sqlalchemy.orm import Session

from service.chat.models import Chat, Claim, PublishedChunks, Turn
from service.database.clock import current_time, from_now
from service.database.statements import count_changes
from service.extensions import table

KEPT_SECONDS = 60.0  # after the last row of an ended turn; then its message has the answer
EVENT_END = "\n\n"  # of a server-sent event; JSON text has no line breaks

_rows = table(PublishedChunks)
INSERT = insert(_rows).values(created_at=current_time())
NEWEST = (
    select(_rows.c.turn_id, func.max(_rows.c.last))
    .where(_rows.c.turn_id.in_(bindparam("turns", expanding=True)))
    .group_by(_rows.c.turn_id)
)
READ = (
    select(_rows.c.first, _rows.c.events, _rows.c.is_end)
    .where(_rows.c.turn_id == bindparam("turn"), _rows.c.last > bindparam("after"))
    .order_by(_rows.c.last)
)
END = (
    select(_rows.c.last)
    .join(Chat, Chat.record_id == _rows.c.chat_id)
    .where(
        _rows.c.turn_id == bindparam("turn"),
        _rows.c.chat_id == bindparam("chat"),
        Chat.user_id == bindparam("owner"),
        _rows.c.is_end,
    )
)
OVER = select(Turn.seq).where(
    Turn.turn_id == bindparam("turn"), Turn.created_at < from_now(-KEPT_SECONDS)
)


class Published(NamedTuple):
    """The chunks that were read, as server-sent events, and whether the turn ends with them."""

    events: list[bytes]
    is_end: bool


def add(
    session: Session, turn_id: str, chat_id: str, after: int, events: list[bytes], is_end: bool
) -> None:
    """Publish the chunks after the one numbered `after`."""
    row = {
        "turn_id": turn_id,
        "chat_id": chat_id,
        "first": after + 1,
        "last": after + len(events),
        "events": b"".join(events).decode(),
        "is_end": is_end,
    }
    session.connection().execute(INSERT, row)


def newest(session: Session, turn_ids: Collection[str]) -> dict[str, int]:
    """Return the number of the newest published chunk of each turn."""
    rows = session.execute(NEWEST, {"turns": list(turn_ids)})
    return {row.turn_id: row[1] for row in rows}


def read(session: Session, turn_id: str, after: int) -> Published:
    """Read the published chunks of a turn after the one with this number."""
    rows = session.execute(READ, {"turn": turn_id, "after": after}).all()
    events = [
        event
        for first, text, _ in rows
        for number, event in enumerate(_split(text), first)
        if number > after
    ]
    return Published(events, any(is_end for *_, is_end in rows))


def _split(events: str) -> Iterator[bytes]:
    for event in events.split(EVENT_END)[:-1]:
        yield f"{event}{EVENT_END}".encode()


def end_of(session: Session, owner: str, chat_id: str, turn_id: str) -> int | None:
    """Return the number of a turn's last chunk, if its end is published for this user and chat."""
    of_turn = {"turn": turn_id, "chat": chat_id, "owner": owner}
    return session.scalar(END, of_turn)


def is_over(session: Session, turn_id: str) -> bool:
    """Return whether a turn ended so long ago that its chunks are not kept any more."""
    return session.scalar(OVER, {"turn": turn_id}) is not None


def sweep(session: Session) -> int:
    """Delete the published rows of turns that do not run any more; returns how many rows.

    All rows of a turn are deleted together, because a reader must not miss chunks between rows.
    """
    later = _rows.alias()
    limit = from_now(-KEPT_SECONDS)
    ended = ~exists().where(Claim.turn_id == _rows.c.turn_id)
    is_kept = exists().where(later.c.turn_id == _rows.c.turn_id, later.c.created_at >= limit)
    old = _rows.c.created_at < limit
    return count_changes(session, delete(_rows).where(old, ended, ~is_kept))
