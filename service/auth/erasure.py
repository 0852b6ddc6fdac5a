"""Erased subjects: a hash of each subject, and the time of its erasure.

Tokens issued before that time are invalid, and the subject gets no starting credits again. The hash
has no key, because after a key rotation the subject could not be recognised. See
docs/decisions/0012.
"""

import hashlib
from collections.abc import Iterable

from sqlalchemy import Connection, bindparam, delete, insert, select
from sqlalchemy.orm import Session

from service.auth.models import ErasedSubject
from service.database.clock import current_time
from service.database.in_lists import prepare_in_list
from service.database.prepared import Prepared
from service.database.statements import Statements
from service.extensions import table

_erasures = table(ErasedSubject)
ERASURES = prepare_in_list(select(_erasures.c.subject_hash, _erasures.c.erased_at))
ERASED_AT = select(_erasures.c.erased_at).where(_erasures.c.subject_hash == bindparam("hash"))
_FIND = Prepared(ERASED_AT)


def hash_of(subject: str) -> str:
    return hashlib.sha256(f"erased:{subject}".encode("utf-8", "surrogatepass")).hexdigest()


def remember(session: Session, subject: str) -> None:
    """Record that a subject is erased now, by the clock of the database."""
    subject_hash = hash_of(subject)
    session.execute(delete(_erasures).where(_erasures.c.subject_hash == subject_hash))
    values = {"subject_hash": subject_hash, "erased_at": current_time()}
    session.execute(insert(_erasures).values(**values))


def erased_at(session: Statements, subject: str) -> float | None:
    """Return the time of a subject's last erasure in Unix time, or None if there was none."""
    found = _FIND.row(session.connection(), {"hash": hash_of(subject)})
    return found.erased_at.timestamp() if found else None


def erasure_times(connection: Connection, subjects: Iterable[str]) -> dict[str, float]:
    """Return the times of erasure, in Unix time, of those subjects that were erased."""
    by_hash = {hash_of(subject): subject for subject in subjects}
    rows = ERASURES.rows(connection, {"values": list(by_hash)})
    return {by_hash[row.subject_hash]: row.erased_at.timestamp() for row in rows}


def revokes(erased: float | None, issued: float | None) -> bool:
    """Return whether an erasure revokes a token; `erased` and `issued` are Unix times.

    An erasure also revokes a token without an issue time, because it may be older.
    """
    return erased is not None and (issued is None or issued < erased)
