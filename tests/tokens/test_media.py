"""Media with a limited token: the user's own, and nobody else's."""

import pytest

from tests.services import on_sqlite

pytestmark = on_sqlite


@pytest.fixture
def picture(app):
    """The id of an item of somebody's."""

    def storing(subject: str) -> str:
        item = app.extensions["media"].put(subject, b"a picture", "image/png", "p.png", None)
        return item["mediaId"]

    return storing


def test_own_media_are_open_to_calls(alice, picture):
    alice.get("/api/ai/models")
    path = f"/api/media/{picture('alice')}"
    limited = alice.limited()
    assert limited.get(path).data == b"a picture"
    assert limited.post(f"{path}/link").status_code == 200
    assert alice.limited("chat").get(path).status_code == 403


def test_media_of_other_users_are_not_found(alice, bob, picture):
    for person in (alice, bob):
        person.get("/api/ai/models")
    path = f"/api/media/{picture('bob')}"
    assert alice.limited().get(path).status_code == 404
    assert alice.limited().post(f"{path}/link").status_code == 404


def test_a_link_needs_no_token(alice, client, picture):
    alice.get("/api/ai/models")
    url = alice.limited().post(f"/api/media/{picture('alice')}/link").json["url"]
    assert client.get(url).data == b"a picture"
