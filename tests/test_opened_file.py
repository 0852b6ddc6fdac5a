"""SQLite: the database's file is replaced or removed while the service runs."""

import shutil
from pathlib import Path

import pytest

from service.extensions import db
from tests.services import on_sqlite

pytestmark = on_sqlite
NOTES = "/api/records/notes"


@pytest.fixture
def file(app, alice):
    """The database's file, with a note in it."""
    assert alice.post(NOTES, {"title": "first"}).status_code == 201
    with app.app_context():
        return Path(str(db.engine.url.database))


@pytest.mark.parametrize("is_replaced", [True, False])
def test_nothing_is_acknowledged_that_no_file_will_have(alice, client, file, is_replaced):
    kept = file.rename(file.with_suffix(".kept"))
    if is_replaced:
        shutil.copy(kept, file)
    refused = alice.post(NOTES, {"title": "second"})
    assert (refused.status_code, refused.json["error"]) == (503, "unavailable")
    assert client.get("/readyz").status_code == 503
    kept.rename(file)
    assert alice.post(NOTES, {"title": "third"}).status_code == 201
    titles = [record["data"]["title"] for record in alice.get(NOTES).json["records"]]
    assert titles == ["first", "third"]


def test_no_connection_is_made_to_another_file(app, alice, file):
    """It would be read and written with the log of the first one."""
    shutil.copy(file, file.with_suffix(".new")).rename(file)
    with app.app_context():
        db.engine.dispose()
    assert alice.get(NOTES).status_code == 503


def test_no_empty_file_is_made_in_place_of_one_that_is_gone(app, alice, file):
    """Whoever opens an empty one next deletes the log, with what was acknowledged in it."""
    file.rename(file.with_suffix(".kept"))
    with app.app_context():
        db.engine.dispose()
    assert alice.get(NOTES).status_code == 503
    assert not file.exists()


def test_the_log_says_why(alice, file, capsys):
    shutil.copy(file, file.with_suffix(".new")).rename(file)
    alice.post(NOTES, {"title": "second"})
    assert "was replaced or removed while it was in use" in capsys.readouterr().err
