"""Write the rows of an ended turn, user, assistant and metadata, and charge it, in a transaction.

`storing.py` opens it. Source: docs/contract.md, "One chat turn" and section 5.9.
"""

from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import Connection, bindparam, insert, select, update
from sqlalchemy.exc import DBAPIError

from service.chat import claims, earlier_writes
from service.chat.models import Chat, Message, Turn
from service.chat.question import Question
from service.chat.turn import replacement, row_values
from service.chat.turn.row_values import TurnStatus, Values
from service.chat.turn.running import Run
from service.database.locks import lock_name
from service.database.prepared import Prepared, await_replies
from service.database.statements import Statements
from service.extensions import table
from service.records import outbox
from service.times import MICROSECOND, later_than, now

log = structlog.get_logger("turn")

# Built once: building a statement takes several times as long as running it.
_chats, _messages, _turns = table(Chat), table(Message), table(Turn)
_this_chat = _chats.c.record_id == bindparam("chat")
_newest = (  # a chat's rows are stored in the order of their times
    select(_messages.c.created_at)
    .where(_messages.c.chat_id == _chats.c.record_id)
    .order_by(_messages.c.seq.desc())
    .limit(1)
    .scalar_subquery()
    .label("newest")
)
LOCK_CHAT = Prepared(select(_chats, _newest).where(_this_chat).with_for_update(of=_chats))
LAST_TURN = (
    select(_turns.c.turn_id)
    .where(_turns.c.user_id == bindparam("owner"), _turns.c.user_message_id == bindparam("message"))
    .order_by(_turns.c.seq.desc())
    .limit(1)
)
INSERT_MESSAGE = Prepared(insert(_messages).inline())  # the rows' numbers are not needed
INSERT_TURN = Prepared(insert(_turns).inline())
TOUCH_CHAT = Prepared(
    update(_chats)
    .where(_this_chat)
    .values(
        updated_at=bindparam("moment"),
        active_at=bindparam("moment"),
        title=bindparam("name"),
        history_tokens=bindparam("tokens"),
    )
)


class NotStored(Exception):
    """The rows could not be written."""


class Overtaken(NotStored):
    """The turn lost its claim, and another turn answers the message or has answered it."""


def write(session: Statements, run: Run, status: TurnStatus, refused: Prepared | None) -> None:
    """Write the rows, end the claim and charge the turn.

    `refused` is None at the first try. After it, `refused_insert` returns it for the next one.
    Raises `ChatDeleted`, `NotStored`, `Overtaken`, and the database's errors.
    """
    question, connection = run.question, session.connection()
    lock_name(connection, question.chat_id)
    locked = LOCK_CHAT.send(connection, {"chat": question.chat_id})
    dropping = claims.send_drop(session, question.turn_id)
    closed = run.hold.send_close(session)
    chat = locked.row
    if chat is None:
        raise claims.ChatDeleted()
    _end_claim(session, run, claims.read_dropped(dropping))
    changes = replacement.remove(session, question)
    moment = _next_moment(chat.newest)
    answered = moment + MICROSECOND
    messages = row_values.message_rows(run, moment, answered)
    _insert(connection, INSERT_MESSAGE, messages, refused)
    if run.earlier:
        earlier_writes.settle(session, question)
    charged = run.hold.charge(session, closed)
    metadata = row_values.metadata_row(run, status, charged, answered)
    _insert(connection, INSERT_TURN, [metadata], refused)
    touched = _touch(connection, chat, run, row_values.chat_title(chat, question, status), answered)
    changes += map(row_values.message_change, messages)
    changes += [row_values.turn_change(metadata, run.tally.usage), touched]
    outbox.append(connection, changes)


def _end_claim(session: Statements, run: Run, claim: claims.Dropped) -> None:
    """Read the result of removing the claim.

    Raises `Overtaken` if the claim was lost and another turn has answered.
    """
    question = run.question
    run.was_watched |= claim.was_watched
    if claim.is_found and not run.was_unclaimed:
        return
    if is_answered(session.connection(), question) or replacement.is_gone(session, question):
        raise Overtaken()


def is_answered(connection: Connection, question: Question) -> bool:
    """Return whether another turn has stored an answer since this one began."""
    message = {"owner": question.caller.subject, "message": question.user_message_id}
    if question.user_message_id not in question.replaces:  # an earlier row of it was deleted
        return connection.scalar(replacement.FIND, message) is not None
    return connection.scalar(LAST_TURN, message) != question.answered_by


def _touch(connection: Connection, chat: Any, run: Run, title: str, moment: datetime) -> outbox.Row:
    touched = max(moment, chat.updated_at + MICROSECOND)
    values = {"chat": chat.record_id, "moment": touched, "name": title}
    values["tokens"] = run.tally.history_tokens or chat.history_tokens
    TOUCH_CHAT.send(connection, values)
    columns = {"title": title, "updated_at": touched, "active_at": touched}
    return row_values.chat_change(chat, columns)


def _next_moment(newest: datetime | None) -> datetime:
    """Return the time now, or a later one: `createdAt` increases with every row of a chat."""
    return later_than(newest) if newest else now()


def _insert(
    connection: Connection, statement: Prepared, rows: list[Values], refused: Prepared | None
) -> None:
    """Insert the rows of one table.

    `refused` is the statement that was refused before, or None at the first try. Each row is tried
    twice in all. Raises `NotStored`, but not at the first try.
    """
    if refused is None:
        statement.send_many(connection, rows)
        return
    await_replies(connection)  # an earlier statement that fails is not a refused row
    for row in rows:
        _insert_alone(connection, statement, row, tries=1 if statement is refused else 2)


def refused_insert(error: DBAPIError) -> Prepared | None:
    """Return the statement whose rows the database has refused, or None for any other error."""
    for statement in (INSERT_MESSAGE, INSERT_TURN):
        if statement.is_refused_by(error):
            return statement if _is_refusal(error) else None
    return None


def _insert_alone(connection: Connection, statement: Prepared, row: Values, tries: int) -> None:
    for _ in range(tries):
        try:
            with connection.begin_nested():
                statement.run(connection, row)
            return
        except DBAPIError as error:
            if not _is_refusal(error):
                raise
    raise NotStored()


def _is_refusal(error: DBAPIError) -> bool:
    """Log a refusal. Return False if the error has ended the connection, with the transaction."""
    if error.connection_invalidated:
        return False
    log.warning("row not stored", error=type(error).__name__)
    return True
