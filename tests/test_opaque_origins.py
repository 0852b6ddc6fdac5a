"""A page of an opaque origin gets nothing from the API, with a token or without one."""

import pytest

from tests.services import on_sqlite

pytestmark = on_sqlite

SANDBOXED = {"Origin": "null"}
CALLS = [
    ("GET", "/api/credits"),
    ("POST", "/api/ai/chat"),
    ("DELETE", "/api/records/notes/1"),
    ("GET", "/api/media/anything"),
    ("GET", "/api/records/socket"),
    ("OPTIONS", "/api/credits"),
    ("GET", "/api/not-there"),
]


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_a_page_in_a_sandbox_may_not_call_the_api(alice, method, path):
    answer = alice.request(method, path, headers=SANDBOXED)
    assert (answer.status_code, answer.json["error"]) == (403, "forbidden")
    assert "sandbox" in answer.json["message"]


def test_a_page_in_a_sandbox_is_refused_before_its_token_is_checked(client):
    for token in ("", "Bearer not.a.token"):
        headers = {**SANDBOXED, "Authorization": token}
        assert client.get("/api/credits", headers=headers).status_code == 403


def test_a_page_in_a_sandbox_can_not_read_its_refusal(client):
    answer = client.get("/api/credits", headers=SANDBOXED)
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_the_form_of_a_consent_may_come_from_a_page_without_referrer(client):
    """A browser says `Origin: null` for it."""
    path = "/api/integrations/oauth/cloudsuite/callback"
    answer = client.post(path, data={"token": "unknown"}, headers=SANDBOXED)
    assert (answer.status_code, answer.mimetype) == (400, "text/html")


def test_a_picture_in_a_frame_of_a_widget_needs_the_link_alone(alice, client):
    call = alice.post("/api/integrations/generate-image-classic", {"prompt": "A dog"})
    url = call.json["data"]["images"][0]["url"]
    assert client.get(url, headers=SANDBOXED).mimetype == "image/png"
    assert alice.get(url.split("?")[0], headers=SANDBOXED).status_code == 403


def test_other_origins_and_paths_outside_the_api_are_not_refused(alice, client):
    assert alice.get("/api/credits", headers={"Origin": "http://app.example"}).status_code == 200
    assert client.get("/browser/shared/errors.js", headers=SANDBOXED).status_code == 200
