"""A release goes out host by host, and is taken back, while users write through both hosts."""

from collections import Counter

import psycopg
import pytest

from service.database.revisions import newest_revision
from tests.faults.probes import Probes, change
from tests.faults.unit import Unit
from tests.fresh_copy import FreshCopy
from tests.services import environment, free_port, wait_for

LATER = "later"
MIGRATION = f'''
import sqlalchemy as sa
from alembic import op

revision = "{LATER}"
down_revision = "{newest_revision()}"


def upgrade():
    op.add_column("chats", sa.Column("release", sa.String(), nullable=True))
    op.create_index(None, "chats", ["release"])
'''
MODEL = "service/chat/models.py"
PLACE = "    pinned: Mapped[bool | None]\n"
COLUMN = f'    release: Mapped[str | None] = mapped_column(String, default="{LATER}")\n'


def install(unit: Unit) -> None:
    """A later release: it writes a column that this one can't know."""
    (unit.tree / f"migrations/versions/{LATER}.py").write_text(MIGRATION)
    change(unit, MODEL, PLACE, PLACE + COLUMN)


def take_back(unit: Unit) -> None:
    (unit.tree / f"migrations/versions/{LATER}.py").unlink()
    change(unit, MODEL, COLUMN, "")


@pytest.fixture
def url(databases) -> str:
    return databases.make("postgresql")


@pytest.fixture
def hosts(url, model, tmp_path):
    """Two units over one database, each with a tree of its own."""
    units = []
    values = {"PROVIDER_A_BASE_URL": model.url, "PROVIDER_A_API_KEY": "key"}
    try:
        for name in ("first", "second"):
            tree = FreshCopy(tmp_path / name / "tree").place
            made = environment(url, PORT=free_port(), **values)
            units.append(Unit(tree, tmp_path / name, made).start(migrate=False))
        yield units
    finally:
        for unit in units:
            unit.stop()


def chats_by_release(url: str) -> Counter[str | None]:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        return Counter(release for (release,) in connection.execute("SELECT release FROM chats"))


@pytest.mark.timeout(600)  # each of its five starts may take half a minute
def test_a_release_goes_out_host_by_host_and_is_taken_back(hosts, url):
    first, second = hosts
    pauses = (0.3, 1.0, 0.5)  # test_reload.py looks for a refused connection more closely
    with Probes(first).going(pauses) as one, Probes(second).going(pauses) as two:

        def work() -> None:
            before = (one.turns, two.turns)
            wait_for(lambda: one.turns > before[0] + 3 and two.turns > before[1] + 3, 60)

        def reload(unit: Unit, migrate: bool) -> None:
            old = unit.main
            assert unit.reload(migrate), unit.journal
            wait_for(lambda: not unit.runs(old), 40)
            work()

        work()
        install(second)
        reload(second, migrate=True)  # while the first one writes
        mixed = chats_by_release(url)
        install(first)
        reload(first, migrate=False)  # there is nothing to migrate, and it takes two seconds
        take_back(first)
        reload(first, migrate=True)  # of a later release's database, while the second one writes
    print(f"{one.turns + two.turns} turns; {mixed} while both releases ran")
    assert not one.failed + two.failed
    assert mixed[LATER] > 3
    assert mixed[None] > 3
    assert f"A later release has migrated this database, to {LATER}." in first.journal
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        (stored,) = connection.execute("SELECT count(*) FROM turns").fetchone()
        (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    assert (stored, revision) == (one.turns + two.turns, LATER)
