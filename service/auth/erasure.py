"""Erased subjects: a hash of each, and when it was erased.

Tokens from before that time do not count, and the subject gets no starting credits again. The hash
has no key, because a rotated key would forget whom it has hashed. Why: docs/decisions/0012.
"""

import hashlib
from collections.abc import Iterable

from sqlalchemy import bindparam, delete, insert, select
from sqlalchemy.orm import Session

from service.auth.models import Erasure
from service.clock import current_time
from service.extensions import table

_erasures = table(Erasure)
ERASED_AT = select(_erasures.c.erased_at).where(_erasures.c.subject_hash == bindparam("hash"))


def hashed(subject: str) -> str:
    return hashlib.sha256(f"erased:{subject}".encode("utf-8", "surrogatepass")).hexdigest()


def remember(session: Session, subject: str) -> None:
    """Note that a subject is erased now, by the database's clock."""
    mine = {"subject_hash": hashed(subject)}
    session.execute(delete(_erasures).where(_erasures.c.subject_hash == mine["subject_hash"]))
    session.execute(insert(_erasures).values(**mine, erased_at=current_time()))


def erased_at(session: Session, subject: str) -> float | None:
    """When a subject was last erased, in Unix time; None if it never was."""
    moment = session.connection().scalar(ERASED_AT, {"hash": hashed(subject)})
    return moment.timestamp() if moment else None


def erased_among(session: Session, subjects: Iterable[str]) -> dict[str, float]:
    """When each of these subjects was last erased, in Unix time; without those that never were."""
    by_hash = {hashed(subject): subject for subject in subjects}
    mine = select(Erasure.subject_hash, Erasure.erased_at).where(Erasure.subject_hash.in_(by_hash))
    return {by_hash[row.subject_hash]: row.erased_at.timestamp() for row in session.execute(mine)}


def ends(erased: float | None, issued: float | None) -> bool:
    """Whether an erase at `erased` ends a token of `issued`, which may be older if that is None."""
    return erased is not None and (issued is None or issued < erased)
