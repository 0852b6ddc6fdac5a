"""Users as operators see them: their rows, their accounts, and the times of their last replies."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Row, Select, func, or_, select

from service.auth.models import User
from service.billing.models import Account
from service.chat.models import Turn
from service.database.letter_case import in_lower_case
from service.extensions import db


@dataclass(frozen=True)
class UserOverview:
    """A user. `balance` and `held` are in micro-credits, None without an account.

    `last_reply` is when the newest reply to the user was stored, or None.
    """

    user: User
    balance: int | None
    held: int | None
    last_reply: datetime | None


def page(search: str, limit: int, before: int | None) -> list[UserOverview]:
    """Return the newest users with a `seq` below `before`.

    `search` is a part of the subject, the name or the mail address. It ignores case.
    """
    found = _users().order_by(User.seq.desc()).limit(limit)
    if search:
        found = found.where(_matches(search))
    if before is not None:
        found = found.where(User.seq < before)
    return _people(db.session.execute(found).all())


def one(subject: str) -> UserOverview | None:
    people = _people(db.session.execute(_users().where(User.subject == subject)).all())
    return people[0] if people else None


def _users() -> Select[User, int | None, int | None]:
    account = Account.subject == User.subject
    return select(User, Account.balance, Account.held).outerjoin(Account, account)


def _matches(search: str) -> ColumnElement[bool]:
    columns = (User.subject, User.name, User.email)
    lower = search.lower()
    return or_(*(in_lower_case(column).contains(lower, autoescape=True) for column in columns))


def _people(rows: Iterable[Row[User, int | None, int | None]]) -> list[UserOverview]:
    found = list(rows)
    subjects = [row[0].subject for row in found]
    newest = select(Turn.user_id, func.max(Turn.created_at)).group_by(Turn.user_id)
    answered = db.session.execute(newest.where(Turn.user_id.in_(subjects)))
    replies = {row[0]: row[1] for row in answered}
    return [UserOverview(*row, last_reply=replies.get(row[0].subject)) for row in found]
