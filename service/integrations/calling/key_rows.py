"""Find, renew and delete the rows of `Idempotency-Key`s."""

from collections.abc import Iterable

from sqlalchemy import ColumnElement, and_, delete, not_, select, update
from sqlalchemy.orm import Session

from service.database.clock import current_time, from_now
from service.extensions import db, table
from service.integrations.calling.idempotency import LEASE_SECONDS
from service.integrations.models import IdempotencyKey

_keys = table(IdempotencyKey)


def has_answer(user_id: str, endpoint: str, key: str) -> bool:
    """Return whether a key's answer is stored. Needs an app context."""
    names = {"user_id": user_id, "endpoint": endpoint, "key": key}
    stored = (_keys.c.answer.is_not(None), _keys.c.expires_at > current_time())
    found = db.session.scalar(select(_keys.c.seq).filter_by(**names).where(*stored))
    db.session.commit()
    return found is not None


def renew(session: Session, holders: Iterable[str]) -> None:
    """Renew the keys of attempts that still run.

    A locked key, for example during the deletion of its chat, is left for the next renewal: waiting
    for it while other keys are locked could be a deadlock.
    """
    held = _keys.c.holder.in_(list(holders)) & _keys.c.answer.is_(None)
    session.execute(
        update(_keys).where(_select_unlocked(held)).values(held_until=from_now(LEASE_SECONDS))
    )


def forget_chat(session: Session, user_id: str, chat_id: str) -> None:
    """Delete the keys of a chat's calls with their answers.

    A call that was already sent is paid for, but stores no answer: its key loses its chat. The
    order of these statements covers answers that are stored meanwhile.
    """
    of_chat = (_keys.c.user_id == user_id, _keys.c.chat_id == chat_id)
    session.execute(select(_keys.c.seq).where(*of_chat).order_by(_keys.c.seq).with_for_update())
    under_way = (_keys.c.answer.is_(None), _keys.c.left_at.is_not(None))
    session.execute(update(_keys).where(*of_chat, *under_way).values(chat_id=None))
    session.execute(delete(_keys).where(*of_chat, not_(and_(*under_way))))


def sweep(session: Session) -> None:
    session.execute(delete(_keys).where(_select_unlocked(_keys.c.expires_at < current_time())))


def _select_unlocked(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Select and lock the keys that meet the condition and that no other transaction has locked."""
    return _keys.c.seq.in_(select(_keys.c.seq).where(condition).with_for_update(skip_locked=True))
