"""An app declares `canvases` again, so that others than the owner may read and write them."""

import pytest

from config import ConfigError
from service import create_app
from tests.people import person
from tests.services import on_sqlite, settings_for

pytestmark = on_sqlite
CANVASES = "/api/records/canvases"
SHARED = pytest.mark.settings(extensions="tests.widgets.shared_canvases")


@pytest.fixture
def carol(app, settings):
    """An editor."""
    return person(app.test_client(), settings, "carol", "editor")


@SHARED
def test_others_read_and_write_a_canvas_as_the_app_declares(alice, bob, carol):
    made = alice.post(CANVASES, {"title": "Plan", "widgets": []})
    path = f"{CANVASES}/{made.json['recordId']}"
    assert bob.get(path).json["data"]["title"] == "Plan"
    assert bob.patch(path, {"title": "Mine"}).status_code in (403, 404)
    assert carol.patch(path, {"title": "Ours"}).status_code == 200
    assert carol.patch(path, {"widgets": ["not a widget"]}).status_code == 400


@SHARED
def test_everybody_is_told_which_canvases_they_may_change(bob, carol):
    told = [who.get("/api/widgets/templates").json["canvases"] for who in (bob, carol)]
    assert told == [{"update": "own", "delete": "own"}, {"update": "all", "delete": "none"}]


def test_canvases_without_their_checks_stop_the_start(database_url):
    settings = settings_for(database_url, extensions="tests.widgets.unchecked_canvases")
    with pytest.raises(ConfigError, match="EXTENSIONS: collection 'canvases' lacks columns"):
        create_app(settings)
