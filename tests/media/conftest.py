"""The press in the app under test, answered by a scripted vendor."""

import pytest

from service.extensions import db
from service.integrations.declare.setting import VENDOR_SETTINGS
from service.media.models import MediaItem, MediaPiece
from tests.integrations.scripted_vendor import ScriptedVendor
from tests.media import press


@pytest.fixture
def place(request) -> str:
    """Where the content is: `database`, or `files`."""
    return getattr(request, "param", "database")


@pytest.fixture
def configure(request, place, tmp_path) -> dict:
    marker = request.node.get_closest_marker("settings")
    given = {"media_dir": tmp_path / "media"} if place == "files" else {}
    return {"extensions": press.__name__, **given, **(marker.kwargs if marker else {})}


@pytest.fixture
def vendor(app):
    scripted = ScriptedVendor()
    settings = VENDOR_SETTINGS.of(app)
    VENDOR_SETTINGS.set(app, {**settings, "PRESS_BASE_URL": scripted.url})
    yield scripted
    scripted.stop()


@pytest.fixture
def store(app):
    return app.extensions["media"]


@pytest.fixture
def rows(app):
    """How many items and pieces there are."""

    def count() -> tuple[int, int]:
        with app.app_context():
            return db.session.query(MediaItem).count(), db.session.query(MediaPiece).count()

    return count
