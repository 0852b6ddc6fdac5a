"""Read the revisions of the migrations, and the revision of the database.

Only `flask db` loads Alembic. Its reader would cost each worker 11 MB and a fifth of a second,
because it imports every migration.
"""

import ast
import re
from functools import cache

from sqlalchemy import String, column, inspect, select, table

from config import ROOT
from service.extensions import db

TABLE = "alembic_version"
_STORED = select(column("version_num", String)).select_from(table(TABLE))
_NAMED = re.compile(r"^(revision|down_revision) = (.+)$", re.MULTILINE)


def stored_revision() -> str | None:
    with db.engine.connect() as connection:
        if not inspect(connection).has_table(TABLE):
            return None
        return connection.scalars(_STORED).one_or_none()


def is_migrated(current: str | None) -> bool:
    """Return whether a database at the revision `current` has everything that this release needs.

    An unknown revision is one of a later release, which only adds to the database.
    """
    newest, _ = revisions()
    return current == newest or is_later(current)


def is_later(current: str | None) -> bool:
    """Return whether a database at the revision `current` is that of a later release."""
    return current is not None and current not in revisions()[1]


def newest_revision() -> str | None:
    return revisions()[0]


@cache
def revisions() -> tuple[str | None, frozenset[str]]:
    """Return this release's newest revision and all its revisions.

    They are read once, when the process starts, because the files may be replaced while it runs.
    Raises ValueError if the migrations are not one chain.
    """
    before: dict[str, str | None] = {}
    for path in sorted((ROOT / "migrations" / "versions").glob("*.py")):
        named = dict(_NAMED.findall(path.read_text(encoding="utf-8")))
        before[ast.literal_eval(named["revision"])] = ast.literal_eval(named["down_revision"])
    newest = before.keys() - before.values()
    if len(newest) > 1 or len(set(before.values())) < len(before):
        raise ValueError(f"the migrations are not one chain: {sorted(newest)}")
    return next(iter(newest), None), frozenset(before)
