"""A database of PostgreSQL that a test has used is given to another test as if it were new."""

import pytest
from sqlalchemy import make_url

from tests.services import wait_for


@pytest.fixture
def url(databases) -> str:
    return databases.make("postgresql")


@pytest.fixture
def run(databases, url):
    """Run a statement in the database."""
    return lambda statement: databases.cluster.execute(statement, make_url(url).database)


def rows_of(run) -> dict[str, str]:
    listed = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname !~ '^(pg|sql)_'"
    return {table: run(f'SELECT * FROM "{table}"') for table in run(listed).splitlines()}


def test_an_emptied_database_has_the_rows_of_the_migrations_only(databases, url, run):
    new = rows_of(run)
    run(
        "INSERT INTO users (subject, disabled, created_at, updated_at)"
        " VALUES ('alice', false, now(), now())"
    )
    run("DELETE FROM alembic_version")
    run("UPDATE probes SET id = 7")
    changed = {table for table, rows in rows_of(run).items() if rows != new[table]}
    assert changed == {"users", "alembic_version", "probes"}
    assert databases.renew(url)
    assert rows_of(run) == new


def test_a_database_with_another_structure_is_not_used_again(databases, url, run):
    run("ALTER TABLE chats ADD COLUMN altered text")
    assert not databases.renew(url)


def test_a_database_is_used_again_when_nobody_is_connected_to_it(databases, url):
    with databases.cluster.connect(make_url(url).database):
        assert not databases.renew(url)
    wait_for(lambda: databases.renew(url))
