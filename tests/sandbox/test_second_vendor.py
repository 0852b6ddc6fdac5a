"""A second OAuth vendor is a declaration: its consent flow against the sandbox's stand-in."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import select, update

from service.integrations.models import Grant
from service.integrations.vendors.tiktok import OK
from service.mcp.jobs import RECONNECT
from service.sandbox.suite.models import SuiteToken
from service.times import now
from tests.app_database import execute_write, rows
from tests.integrations.office_suite import boxes, connect, decide, page_of, payload
from tests.integrations.scripted_vendor import Said, ScriptedVendor
from tests.mcp.era_clients import Speaker
from tests.services import on_sqlite

PUBLISH = "shortvideo-post-video"
VIDEO = {"videoUrl": "https://videos.example/1.mp4"}
ACCOUNT = {"privacy_level_options": ["SELF_ONLY"], "creator_username": "ada"}
CREATOR = {"data": ACCOUNT, "error": OK}
STARTED = {"data": {"publish_id": "v1"}, "error": OK}
DONE = {"data": {"status": "PUBLISH_COMPLETE", "publicaly_available_post_id": [5]}, "error": OK}
NO_SCOPE = {"error": {"code": "scope_not_authorized"}}

pytestmark = pytest.mark.settings(extensions="tests.sandbox.other_vendors")


@pytest.fixture
def tiktok(app):
    """The vendor's API; its authorization server is the sandbox's."""
    scripted = ScriptedVendor()
    app.extensions["vendor_settings"]["TIKTOK_BASE_URL"] = scripted.url
    yield scripted
    scripted.stop()


@pytest.fixture
def job(alice, tiktok) -> str:
    """The path of a running job of alice's."""
    connect(alice, PUBLISH, "shortvideo-ada")
    tiktok.says(CREATOR, STARTED)
    data = alice.post(f"/api/integrations/{PUBLISH}", {**VIDEO, "wait": 0}).json["data"]
    assert data["status"] == "running"
    return f"/api/integrations/jobs/{data['jobId']}"


def query_of(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def status(person, integration: str = "shortvideo"):
    return person.get("/api/integrations/status").json[integration]


def test_a_consent_from_the_payload_to_disconnecting(app, alice, job, tiktok):
    assert status(alice) == {"connected": True, "publish": True}
    execute_write(app, update(Grant).values(expires_at=now() - timedelta(seconds=1)))
    tiktok.says(DONE)
    result = {"publishId": "v1", "creator": "ada", "status": "PUBLISH_COMPLETE", "postIds": ["5"]}
    assert alice.get(job).json["data"]["result"] == result
    _creator, began, polled = tiktok.seen
    assert (polled.method, polled.json) == ("POST", {"publish_id": "v1"})
    bearers = {one.headers["authorization"] for one in (began, polled)}
    assert len(bearers) == 2, "the token was refreshed for the poll"
    assert alice.delete("/api/integrations/oauth/shortvideo/disconnect").status_code == 200
    assert (status(alice)["connected"], rows(app, select(SuiteToken))) == (False, [])


@on_sqlite
def test_a_client_of_mcp_learns_that_the_account_of_its_job_is_gone(alice, job):
    alice.delete("/api/integrations/oauth/shortvideo/disconnect")
    told = Speaker(alice, is_modern=False).call("integrations_job", jobId=job.rpartition("/")[2])
    assert (told["isError"], told["content"][0]["text"]) == (True, RECONNECT)


@on_sqlite
def test_the_consent_url_has_the_form_that_is_declared(alice):
    told = payload(alice, PUBLISH)
    assert (told["provider"], told["scopes"]) == ("shortvideo", ["video.publish"])
    asked = query_of(told["authUrl"])
    assert (asked.pop("scope"), len(asked.pop("state")) >= 43) == ("video.publish", True)
    assert set(asked) == {"response_type", "client_key", "redirect_uri"}
    assert asked["redirect_uri"].endswith("/api/integrations/oauth/shortvideo/callback")
    page = page_of(alice, told["authUrl"])
    assert (boxes(page), "Post a video from a URL" in page) == (["video.publish"], True)


@on_sqlite
def test_where_tokens_do_not_add_up_each_consent_asks_for_all(alice):
    connect(alice, PUBLISH, "shortvideo-ada")
    told = payload(alice, "shortvideo-list")
    assert told["scopes"] == ["video.list"]
    assert query_of(told["authUrl"])["scope"] == "video.list,video.publish"


@on_sqlite
def test_what_is_unticked_is_not_granted(alice):
    connect(alice, PUBLISH, "shortvideo-ada", without=("video.publish",))
    assert status(alice) == {"connected": True, "publish": False}


@on_sqlite
def test_another_account_is_refused(alice):
    connect(alice, PUBLISH, "shortvideo-ada")
    page = connect(alice, "shortvideo-list", "shortvideo-ben")
    assert "Another account is connected already" in page.text


@on_sqlite
def test_an_account_of_one_vendor_is_none_of_another(alice):
    url = payload(alice, PUBLISH)["authUrl"]
    parts = urlsplit(url)
    form = {"account": "ada", "scope": ["video.publish"], "decision": "allow"}
    assert alice.client.post(f"{parts.path}?{parts.query}", data=form).status_code == 400


@on_sqlite
def test_a_vendor_may_nest_its_answers_and_hash_in_hexadecimals(alice):
    told = payload(alice, "clips-list")
    asked = query_of(told["authUrl"])
    assert told["scopes"] == ["clip_read"]
    assert (asked["scope"], len(asked["code_challenge"])) == ("clip_read user.info.basic", 64)
    connect(alice, "clips-list", "clips-ben")
    email = "clips-ben@vendor.invalid"
    assert status(alice, "clips") == {
        "connected": True, "list": True, "any": True, "email": email,
    }  # fmt: skip
    assert alice.post("/api/integrations/clips-list", {}).json["data"] == {"first": "c1"}


@on_sqlite
def test_a_token_that_a_poll_finds_rejected_is_cleared(app, alice, job, tiktok):
    tiktok.says(Said({}, 401), DONE)
    answer = alice.get(job)
    assert (answer.status_code, answer.json["data"]["scopes"]) == (200, ["video.publish"])
    assert (rows(app, select(Grant)), len(tiktok.seen)) == ([], 3)
    assert alice.get(job).json["data"]["requiresOAuth"] is True
    assert len(tiktok.seen) == 3, "without a grant nothing is sent"
    url = decide(alice, alice.get(job).json["data"]["authUrl"], "shortvideo-ada")
    parts = urlsplit(url)
    page = alice.client.get(f"{parts.path}?{parts.query}")
    assert 'data-outcome="connected"' in page.text, "the answer binds the browser"
    assert alice.get(job).json["data"]["status"] == "done"


@on_sqlite
@pytest.mark.parametrize("code", [401, 403])
def test_a_scope_that_a_poll_lacks_is_asked_for_and_the_grant_kept(app, alice, job, tiktok, code):
    tiktok.says(Said(NO_SCOPE, code))
    assert alice.get(job).json["data"]["requiresOAuth"] is True
    assert len(rows(app, select(Grant))) == 1


@on_sqlite
def test_a_call_that_waits_for_its_job_outlives_a_rejected_token(app, alice, tiktok):
    connect(alice, PUBLISH, "shortvideo-ada")
    tiktok.says(CREATOR, STARTED, Said({}, 401))
    answer = alice.post(f"/api/integrations/{PUBLISH}", {**VIDEO, "wait": 0.2})
    assert answer.json["data"]["status"] == "running"
    assert rows(app, select(Grant)) == []
