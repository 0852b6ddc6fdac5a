"""Videos that are posted to a user's own TikTok, with a grant from the sandbox's consent page."""

import pytest
from sqlalchemy import select

from service.extensions import db
from service.integrations.models import Grant
from service.integrations.vendors.tiktok import OK
from tests.integrations.office_suite import connect
from tests.integrations.scripted_vendor import Said, ScriptedVendor
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

VIDEO = {"videoUrl": "https://videos.example/1.mp4", "wait": 0}
STARTED = {"data": {"publish_id": "v1"}, "error": OK}


def creator(*levels):
    return {"data": {"privacy_level_options": list(levels), "creator_username": "ada"}, "error": OK}


def refused(code, status=200, **headers):
    return Said({"data": {}, "error": {"code": code, "message": "a text"}}, status, headers)


@pytest.fixture
def tiktok(app, alice):
    """TikTok's API, where alice is connected."""
    scripted = ScriptedVendor()
    connect(alice, "shortvideo-post-video", "shortvideo-ada")
    app.extensions["vendor_settings"]["TIKTOK_BASE_URL"] = scripted.url
    yield scripted
    scripted.stop()


@pytest.fixture
def post(ask, tiktok):
    """Posts a video while TikTok says these answers; the answer, and what TikTok was asked."""

    def posting(*answers, **body):
        headers = {"Idempotency-Key": body.pop("key")} if "key" in body else {}
        tiktok.says(*answers)
        tiktok.seen.clear()
        return ask("shortvideo-post-video", {**VIDEO, **body}, headers=headers), tiktok.seen

    return posting


def test_the_account_says_who_may_see_a_post(post):
    friends = "MUTUAL_FOLLOW_FRIENDS"
    answer, seen = post(creator(friends, "SELF_ONLY", "NEW"), privacyLevel="PUBLIC_TO_EVERYONE")
    why = [f"The account offers {friends}, SELF_ONLY."]
    assert (answer.status_code, answer.json["details"]) == (400, {"privacyLevel": why})
    assert len(seen) == 1, "nothing is posted"
    answer, seen = post(creator(friends), STARTED, privacyLevel=friends)
    assert answer.json["data"]["status"] == "running"
    assert seen[1].json["post_info"]["privacy_level"] == friends
    assert post(creator("NEW"))[0].status_code == 502


def test_a_refused_level_leaves_the_key_of_the_call_free(post):
    refusal = post(creator("SELF_ONLY"), privacyLevel="FOLLOWER_OF_CREATOR", key="k")[0]
    assert refusal.status_code == 400
    assert post(creator("SELF_ONLY"), STARTED, key="k")[0].json["data"]["status"] == "running"


def test_content_that_another_business_pays_for_cannot_be_private(post):
    """Source: developers.tiktok.com/doc/content-sharing-guidelines, "Branded content"."""
    for body in ({}, {"privacyLevel": "SELF_ONLY"}):
        answer, seen = post(brandContent=True, **body)
        assert (answer.status_code, list(answer.json["details"])) == (400, ["privacyLevel"])
        assert seen == []
    levels = creator("PUBLIC_TO_EVERYONE", "SELF_ONLY")
    answer, seen = post(levels, STARTED, brandContent=True, privacyLevel="PUBLIC_TO_EVERYONE")
    assert (answer.status_code, seen[1].json["post_info"]["brand_content_toggle"]) == (200, True)
    assert post(levels, STARTED, brandOrganic=True)[0].status_code == 200, "may be private"


def test_only_https_addresses_are_passed_on(post):
    for url in ("http://videos.example/1.mp4", "https://a:b@videos.example/1", "https:///1", "x"):
        answer, seen = post(videoUrl=url)
        assert (answer.status_code, list(answer.json["details"])) == (400, ["videoUrl"]), url
        assert seen == []


REFUSALS = [
    (refused("url_ownership_unverified", 403), 400, "invalid_request"),
    (refused("privacy_level_option_mismatch", 403), 400, "invalid_request"),
    (refused("unaudited_client_can_only_post_to_private_accounts", 403), 400, "invalid_request"),
    (refused("invalid_params", 400), 400, "invalid_request"),
    (refused("spam_risk_user_banned_from_posting", 403), 403, "forbidden"),
    (refused("spam_risk_too_many_posts", 403), 429, "rate_limited"),
    (refused("reached_active_user_cap", 403), 429, "rate_limited"),
    (refused("rate_limit_exceeded", 429, **{"Retry-After": "9"}), 429, "rate_limited"),
    (refused("spam_risk"), 502, "upstream_provider_error"),
    (refused("internal_error", 500), 502, "upstream_provider_error"),
    (Said({"data": {"publish_id": "v1"}}), 502, "upstream_provider_error"),
]


def test_a_refusal_is_told_in_our_words(post):
    for said, status, error in REFUSALS:
        answer, _ = post(creator("SELF_ONLY"), said)
        assert (answer.status_code, answer.json["error"]) == (status, error), said.body
        assert "a text" not in answer.text


def test_a_consent_that_is_missing_or_rejected_is_asked_for(app, post):
    def grants():
        with app.app_context():
            return len(db.session.scalars(select(Grant)).all())

    for said, left in (
        (refused("scope_not_authorized", 401), 1), (refused("scope_permission_missed"), 1),
        (refused("access_token_invalid"), 0),
    ):  # fmt: skip
        answer, _ = post(creator("SELF_ONLY"), said)
        assert (answer.json["data"]["requiresOAuth"], grants()) == (True, left)


def test_a_job_whose_grant_is_gone_asks_for_a_consent_and_goes_on_after_it(post, tiktok, alice):
    job = post(creator("SELF_ONLY"), STARTED)[0].json["data"]["jobId"]
    tiktok.says(refused("access_token_invalid", 401))
    assert alice.get(f"/api/integrations/jobs/{job}").json["data"]["requiresOAuth"]
    assert alice.get("/api/integrations/status").json["shortvideo"]["connected"] is False
    connect(alice, "shortvideo-post-video", "shortvideo-ada")
    tiktok.says({"data": {"status": "PUBLISH_COMPLETE"}, "error": OK})
    assert alice.get(f"/api/integrations/jobs/{job}").json["data"]["status"] == "done"


def test_a_video_that_cannot_be_posted_is_a_failed_job(post, tiktok, alice):
    job = post(creator("SELF_ONLY"), STARTED)[0].json["data"]["jobId"]
    for state, status in (("PROCESSING_DOWNLOAD", 200), ("NEW", 502), ("FAILED", 502)):
        tiktok.says({"data": {"status": state, "fail_reason": "video_pull_failed"}, "error": OK})
        answer = alice.get(f"/api/integrations/jobs/{job}")
        assert answer.status_code == status, state
    assert answer.json["message"] == "The vendor could not fetch the video from its address."
    tiktok.says(Said({}, 500))
    assert alice.get(f"/api/integrations/jobs/{job}").status_code == 502, "it has ended"
