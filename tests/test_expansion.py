"""Migrations expand first: what an earlier release writes is accepted by the newest schema.

While a release goes out, workers of the one before write on the new schema. What they write is
derived from the schema at their revision, so that nothing here has to follow a new migration.
"""

from datetime import UTC, datetime
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.config import Config
from alembic.script import ScriptDirectory
from flask_migrate import downgrade, upgrade
from sqlalchemy import MetaData, Table

from config import ROOT
from service import create_app
from service.extensions import db
from tests.services import close, settings_for

SINCE = "0007"  # migrations before it were written without this rule
FIRST = 11  # rows that a migration itself has written have lower numbers


def revisions() -> list[str]:
    """From `SINCE` on, the oldest first, without the newest."""
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    script = ScriptDirectory.from_config(config)
    newest_first = [found.revision for found in script.iterate_revisions("head", "base")]
    later = newest_first[1 : newest_first.index(SINCE) + 1]
    return later[::-1]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def engine(request, databases):
    """Of a database with the newest schema."""
    app = create_app(settings_for(databases.make(request.param)))
    with app.app_context():
        yield db.engine
    close(app)


@pytest.fixture(scope="module")
def earlier(engine):
    """The schema at each revision. The database goes back through all of them, and up again."""
    schemas = {}
    for revision in reversed(revisions()):
        downgrade(revision=revision)
        schemas[revision] = MetaData()
        schemas[revision].reflect(engine)
    upgrade()
    return schemas


@pytest.mark.parametrize("revision", revisions())
def test_the_newest_schema_takes_what_an_earlier_release_writes(engine, earlier, revision):
    written = [table for table in earlier[revision].sorted_tables if is_written(table.name)]
    assert len(written) > 10
    with engine.connect() as connection:  # whose end takes back what was written
        for table in written:
            for number, sparse in ((FIRST, False), (FIRST + 1, True)):
                connection.execute(table.insert(), row(table, number, sparse))
            found = connection.execute(sa.select(table)).all()
            assert len(found) >= 2, table.name


def is_written(table: str) -> bool:
    """Whether a release writes it itself: triggers fill the indexes of the search over chats."""
    return table != "alembic_version" and not table.startswith("search_")


def row(table: Table, number: int, sparse: bool) -> dict[str, Any]:
    """A value for each column; when `sparse`, none where none is needed.

    Rows differ only where they have to: a new constraint must not make others unique.
    """
    unique = unique_columns(table)
    values = {}
    for column in table.columns:
        if column.nullable and sparse:
            values[column.name] = sa.null() if isinstance(column.type, sa.JSON) else None
        else:
            values[column.name] = value(column.type, number if column.name in unique else FIRST)
    return values


def unique_columns(table: Table) -> set[str]:
    indexes = [index.columns for index in table.indexes if index.unique]
    constraints = [
        constraint.columns
        for constraint in table.constraints
        if isinstance(constraint, sa.UniqueConstraint | sa.PrimaryKeyConstraint)
    ]
    return {column.name for columns in indexes + constraints for column in columns}


def value(kind: sa.types.TypeEngine[Any], number: int) -> Any:
    match kind:
        case sa.Boolean():
            return False
        case sa.Integer() | sa.Numeric():
            return number
        case sa.DateTime():
            return datetime(2024, 1, number, tzinfo=UTC)
        case sa.JSON():
            return {"data": {}}
        case sa.LargeBinary():
            return b"bytes"
        case sa.String():
            return f"value-{number}"[-kind.length :] if kind.length else f"value-{number}"
    raise NotImplementedError(kind)
