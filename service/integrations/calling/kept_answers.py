"""Answers that are given again: where they are kept, for all workers, and for how long.

There is a bound for one answer and one for all. A kept answer that was a user's own is sealed.
Source: docs/contract.md, section 10.17.
"""

import hashlib
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import structlog
from flask import current_app
from sqlalchemy import Select, delete, func, or_, select
from sqlalchemy.exc import SQLAlchemyError

from service.auth import users
from service.database.access import write_transaction
from service.database.clock import current_time, from_now, microseconds
from service.database.upsert import insert_into
from service.extensions import db, table
from service.integrations.calling.admission import Admitted
from service.integrations.declare.endpoint import Endpoint
from service.integrations.models import KeptAnswer
from service.sealing import places
from service.sealing.seal import Sealer, Unsealable

LARGEST = 256 << 10  # bytes of one answer's JSON
MOST = 10_000  # answers
MOST_BYTES = 200 << 20  # of all of them
TRIMMED_AFTER = 50  # answers that a worker has stored
BATCH = 500  # rows of one transaction

log = structlog.get_logger("integrations")

_answers = table(KeptAnswer)
_age = (microseconds(current_time()) - microseconds(_answers.c.stored_at)).label("age")


@dataclass(frozen=True)
class AnswerKey:
    """What an answer is kept for. `user_id` is None if everybody gets it."""

    digest: str
    endpoint: str
    user_id: str | None
    seconds: float


@dataclass(frozen=True)
class Kept:
    """An answer and its age in seconds."""

    data: Any
    age: int = 0


def key_of(admitted: Admitted, settings: Mapping[str, str], sandbox: str) -> AnswerKey | None:
    """The key of a call's answer; None if the endpoint keeps none.

    It changes with the settings of the vendors: an answer of another account, or of the sandbox, is
    never given again. The workers of a sandbox have different URLs for it, of which `sandbox` is
    this worker's, and share their answers.
    """
    endpoint, declared = admitted.endpoint, admitted.endpoint.cache
    if declared is None:
        return None
    user_id = None if declared.shared else admitted.user_id
    grant = admitted.connection.identity if admitted.connection else None
    facts = [endpoint.name, admitted.params, user_id, grant]
    account = json.dumps(dict(settings), sort_keys=True)
    account = account.replace(sandbox, "sandbox:") if sandbox else account
    text = json.dumps(facts, sort_keys=True, default=repr) + _form(endpoint) + account
    digest = hashlib.sha256(text.encode()).hexdigest()
    return AnswerKey(digest, endpoint.name, user_id, declared.seconds)


@cache
def _form(endpoint: Endpoint) -> str:
    """The schema of its answers, which may change with a release."""
    return json.dumps(endpoint.gives.schema())


class KeptAnswers:
    """Needs an app context."""

    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer
        self._stored = itertools.count(1)

    def find(self, key: AnswerKey) -> Kept | None:
        """The kept answer, unless it has expired or can't be opened any more."""
        named = select(_answers.c.answer, _answers.c.sealed, _age).where(
            _answers.c.key == key.digest, _answers.c.expires_at > current_time()
        )
        row = db.session.execute(named).one_or_none()
        db.session.commit()
        try:
            text = row and (row.answer or self._sealer.open(row.sealed, _place(key)))
        except Unsealable:
            return None
        return Kept(json.loads(text), max(row.age // 1_000_000, 0)) if row and text else None

    def keep(self, key: AnswerKey, data: Any) -> None:
        """Store an answer, unless it is too large. A failure is logged: the caller has the answer.

        Whoever was erased meanwhile leaves none.
        """
        try:
            text = current_app.json.within(LARGEST, data)  # type: ignore[attr-defined]
            if text is None or (size := len(text.encode())) > LARGEST:
                return
            self._store(key, text, size)
            if next(self._stored) % TRIMMED_AFTER == 0:
                trim()
        except (SQLAlchemyError, UnicodeEncodeError) as error:
            log.warning("answer not kept", error=type(error).__name__)

    def _store(self, key: AnswerKey, text: str, size: int) -> None:
        values = {
            "user_id": key.user_id,
            "endpoint": key.endpoint,
            "size": size,
            "stored_at": current_time(),
            "expires_at": from_now(key.seconds),
            "answer": text if key.user_id is None else None,
            "sealed": None if key.user_id is None else self._sealer.seal(text, _place(key)),
        }
        with write_transaction() as session:
            if key.user_id is None or users.lock_row(session, key.user_id):
                new = insert_into(session, _answers).values(key=key.digest, **values)
                key_column = [_answers.c.key]
                session.execute(new.on_conflict_do_update(index_elements=key_column, set_=values))


def _place(key: AnswerKey) -> str:
    return places.kept_answer(key.digest)


def sweep() -> None:
    """Delete what has expired, then the oldest of what is too much. Needs an app context."""
    expired = select(_answers.c.key).where(_answers.c.expires_at <= current_time())
    _delete(expired)
    trim()


def trim() -> None:
    """Delete the oldest answers of more than `MOST`, or of more than `MOST_BYTES`."""
    sums = select(func.count(), func.coalesce(func.sum(_answers.c.size), 0))
    answers, size = db.session.execute(sums.select_from(_answers)).one()
    db.session.commit()
    if answers > MOST or size > MOST_BYTES:
        _delete(_surplus())


def _surplus() -> Select[str]:
    newest_first = (_answers.c.stored_at.desc(), _answers.c.key)
    place = func.row_number().over(order_by=newest_first).label("place")
    total = func.sum(_answers.c.size).over(order_by=newest_first).label("total")
    ranked = select(_answers.c.key, place, total).subquery()
    return select(ranked.c.key).where(or_(ranked.c.place > MOST, ranked.c.total > MOST_BYTES))


def _delete(chosen: Select[str]) -> None:
    """Delete the chosen rows in batches. What another worker is deleting is left to it."""
    is_full = True
    while is_full:
        with write_transaction() as session:
            keys = session.scalars(chosen.limit(BATCH)).all()
            batch = select(_answers.c.key).where(_answers.c.key.in_(keys))
            mine = session.scalars(batch.with_for_update(skip_locked=True)).all()
            session.execute(delete(_answers).where(_answers.c.key.in_(mine)))
        is_full = len(mine) == BATCH
