"""Rotation of sealing keys: texts that older keys have sealed are sealed with the current one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, and_, func, select

from service.database.access import write_transaction
from service.extensions import Model, db, table
from service.integrations.models import Consent, Grant, IdempotencyKey, IntegrationJob, KeptAnswer
from service.sealing import places
from service.sealing.seal import Sealer, Unsealable
from service.sign_in.models import ConsoleSession

BATCH = 100  # rows in one transaction

Place = Callable[[Any, str], str]

# Model, its sealed columns, and the place of a row's column.
SEALED_COLUMNS: tuple[tuple[Any, tuple[str, ...], Place], ...] = (
    (
        Grant,
        ("access_token", "refresh_token"),
        lambda row, column: places.grant(row.user_id, row.integration, column),
    ),
    (Consent, ("verifier", "tokens"), lambda row, _: places.consent(row.state_hash)),
    (IntegrationJob, ("result",), lambda row, _: places.job(row.job_id)),
    (
        IdempotencyKey,
        ("answer",),
        lambda row, _: places.answer(row.user_id, row.endpoint, row.key),
    ),
    (
        ConsoleSession,
        ("bearer", "refresh_token", "id_token"),
        lambda row, column: places.console_session(row.id_hash, column),
    ),
    (KeptAnswer, ("sealed",), lambda row, _: places.kept_answer(row.key)),
)


@dataclass(frozen=True)
class Rotation:
    """The result of a rotation. `unopened` counts texts whose key is not configured any more."""

    resealed: int
    unopened: int


def rotate(sealer: Sealer) -> Rotation:
    """Seal texts again while the service runs: rows are locked in batches. Needs an app context."""
    rotations = [
        _reseal(sealer, model, column, place, ids)
        for model, columns, place in SEALED_COLUMNS
        for column in columns
        for ids in _old(sealer, model, column)
    ]
    return Rotation(
        sum(item.resealed for item in rotations), sum(item.unopened for item in rotations)
    )


def _key(model: type[Model]) -> Column[Any]:
    [key] = table(model).primary_key.columns
    return key


def _old(sealer: Sealer, model: type[Model], column: str) -> Iterator[Sequence[Any]]:
    """Yield the primary keys of the rows to reseal, in batches."""
    sealed = table(model).c[column]
    # SQLite's LIKE ignores case, so it would not distinguish some names of keys.
    new = func.substr(sealed, 1, len(sealer.prefix)) == sealer.prefix
    old = db.session.scalars(select(_key(model)).where(and_(sealed.is_not(None), ~new))).all()
    db.session.commit()
    yield from (old[start : start + BATCH] for start in range(0, len(old), BATCH))


def _reseal(
    sealer: Sealer, model: type[Model], column: str, place: Place, ids: Sequence[Any]
) -> Rotation:
    resealed = unopened = 0
    with write_transaction() as session:
        rows = select(model).where(_key(model).in_(ids)).order_by(_key(model)).with_for_update()
        for row in session.scalars(rows.execution_options(populate_existing=True)):
            sealed = getattr(row, column)
            if sealed is None or not sealer.is_old(sealed):
                continue  # written again in the meantime
            try:
                text = sealer.open(sealed, place(row, column))
            except Unsealable:
                unopened += 1
                continue
            setattr(row, column, sealer.seal(text, place(row, column)))
            resealed += 1
    return Rotation(resealed, unopened)
