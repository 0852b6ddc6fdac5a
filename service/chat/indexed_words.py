"""Remove the words of many messages from SQLite's search index before they are deleted.

When a text is deleted, FTS5 divides it into words again, which takes 70 µs for a kilobyte. One
transaction would stop the worker for seconds. The table `search_unindexed` lists the messages whose
words are removed already; the triggers of `messages` (migration 0035) skip these.
Source: docs/decisions/0006-long-reads-let-others-run.md.
"""

from collections.abc import Iterable, Iterator

from sqlalchemy import ColumnElement, Select, column, delete, func, insert, literal, select
from sqlalchemy import table as any_table

from service.chat.models import Message
from service.database.access import write_transaction
from service.database.clock import current_time, from_now
from service.extensions import db
from service.fairness import let_others_run

FEW_CHARACTERS = 200_000  # FTS5 finds their words in about 15 ms
DELETION_SECONDS = 60.0  # from the removal of the first words to the deletion of the chat

_unindexed = any_table("search_unindexed", column("seq"), column("since"))
_index = any_table("search_messages", column("search_messages"), column("rowid"), column("content"))
_size = func.length(Message.content)


def take_out(chat_id: str) -> None:
    """Remove the words of a large chat from the index, in short transactions.

    The chat does not change, but a search does not find it. So its deletion has to follow.
    """
    take_out_of(Message.chat_id == chat_id)


def take_out_all(user_id: str) -> None:
    """Do the same for all chats of a user, if they are large together.

    The erasure of the user has to follow.
    """
    take_out_of(Message.user_id == user_id)


def take_out_of(which: ColumnElement[bool]) -> None:
    """Do the same for these messages, if they are large together. Needs an app context."""
    if db.engine.dialect.name != "sqlite":
        return
    sizes = _sizes(select(Message.seq, _size).where(which).order_by(Message.seq))
    if sum(size for _, size in sizes) <= FEW_CHARACTERS:
        return
    for numbers in _pieces(sizes):
        _take_out(numbers)
        let_others_run()


def _take_out(numbers: list[int]) -> None:
    these = (Message.seq.in_(numbers), Message.seq.not_in(select(_unindexed.c.seq)))
    words = select(literal("delete"), Message.seq, Message.content).where(*these)
    marks = select(Message.seq, current_time()).where(*these)
    with write_transaction() as session:
        session.execute(insert(_index).from_select(_index.c.keys(), words))
        session.execute(insert(_unindexed).from_select(_unindexed.c.keys(), marks))


def put_back() -> None:
    """Put the words of messages back that were not deleted soon: their worker was killed."""
    if db.engine.dialect.name != "sqlite":
        return
    left = select(Message.seq, _size).join(_unindexed, _unindexed.c.seq == Message.seq)
    left = left.where(_unindexed.c.since < from_now(-DELETION_SECONDS))
    # In the order of this table: in the order of the messages, SQLite would read them all.
    sizes = _sizes(left.order_by(_unindexed.c.seq))
    for numbers in _pieces(sizes):
        _put_back(numbers)
        let_others_run()


def _put_back(numbers: list[int]) -> None:
    marked = select(_unindexed.c.seq).where(_unindexed.c.seq.in_(numbers))
    words = select(Message.seq, Message.content).where(Message.seq.in_(marked))
    with write_transaction() as session:
        session.execute(insert(_index).from_select(["rowid", "content"], words))
        session.execute(delete(_unindexed).where(_unindexed.c.seq.in_(numbers)))


def _sizes(statement: Select[int, int]) -> list[tuple[int, int]]:
    """Return the numbers of messages with the lengths of their texts in characters."""
    rows = db.session.execute(statement).all()
    db.session.commit()
    return [(seq, size) for seq, size in rows]


def _pieces(sizes: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    """Group the numbers so that the texts of a group have few characters together.

    A larger text is a group of its own.
    """
    group: list[int] = []
    characters = 0
    for number, size in sizes:
        if group and characters + size > FEW_CHARACTERS:
            yield group
            group, characters = [], 0
        group.append(number)
        characters += size
    if group:
        yield group
