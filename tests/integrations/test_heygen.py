"""Videos of HeyGen: sessions without a video yet, what a video costs, and refusals."""

import pytest

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

SESSION = {"data": {"session_id": "s1", "status": "generating", "video_id": None}}
DONE = {"id": "v1", "status": "completed", "video_url": "https://files.heygen.ai/v1.mp4"}
PROMPT, SCRIPT = {"prompt": "A tour."}, {"script": "a" * 1000, "avatarId": "anna"}


def refusal(status, code):
    return Said({"error": {"code": code, "message": "a text of HeyGen"}}, status)


@pytest.fixture
def look(alice):
    return lambda state: alice.get(f"/api/integrations/jobs/{state.json['data']['jobId']}")


REFUSALS = [
    (refusal(402, "insufficient_credit"), (502, "upstream_provider_error")),
    (refusal(400, "insufficient_credit"), (502, "upstream_provider_error")),
    (refusal(429, "quota_exceeded"), (502, "upstream_provider_error")),
    (refusal(429, "rate_limit_exceeded"), (429, "rate_limited")),
    (refusal(403, "resource_access_denied"), (403, "forbidden")),
    (refusal(403, "forbidden"), (502, "upstream_provider_error")),
    (refusal(404, "avatar_not_found"), (404, "not_found")),
    (refusal(400, "invalid_parameter"), (400, "invalid_request")),
    (Said({"data": {**SESSION["data"], "status": "failed"}}), (502, "upstream_provider_error")),
    (Said({"data": {"status": "generating"}}), (502, "upstream_provider_error")),
]  # fmt: skip


def test_a_refusal_is_told_in_our_words_and_free(ask, vendor, paid):
    for said, outcome in REFUSALS:
        vendor.says(said)
        answer = ask("aivideo-create-video", PROMPT)
        assert (answer.status_code, answer.json["error"]) == outcome, said
        assert "a text of HeyGen" not in answer.text
        assert paid() == 0


def test_a_refused_parameter_is_named_as_we_name_it(ask, vendor):
    """HeyGen names it if the refusal is about one."""
    for named, ours in (("style_id", ["styleId"]), ("callback_id", []), (None, []), ([], [])):
        error = {"code": "invalid_parameter", "message": "a text of HeyGen", "param": named}
        vendor.says(Said({"error": error}, 400))
        answer = ask("aivideo-create-video", {**PROMPT, "styleId": "modern"})
        assert (answer.status_code, list(answer.json["details"])) == (400, ours), named
        assert "a text of HeyGen" not in answer.text


def test_a_session_is_asked_until_it_has_a_video_and_then_the_video(ask, vendor, paid, look):
    vendor.says(SESSION)
    job = ask("aivideo-create-video", PROMPT)
    assert paid() == 120 * 0.0333 * 50
    thinking = {"data": {**SESSION["data"], "status": "thinking"}}
    ready = {"data": {**SESSION["data"], "status": "completed", "video_id": "v1"}}
    rendering = {"data": {"id": "v1", "status": "processing"}}
    vendor.says(thinking, ready, rendering, ready, {"data": {**DONE, "duration": 30}})
    states = [look(job).json["data"] for _ in range(3)]
    assert [state["status"] for state in states] == ["running", "running", "done"]
    assert states[2]["result"]["videoUrl"] == DONE["video_url"]
    session, video = "/v3/video-agents/s1", "/v3/videos/v1"
    polls = [asked.target for asked in vendor.seen[1:]]
    assert polls == [session, session, video, session, video]
    assert paid() == 30 * 0.0333 * 50


@pytest.mark.parametrize(
    ("ending", "credits"),
    [
        ({**DONE, "duration": 60}, 60 * 0.0667 * 50),
        (DONE, 100 * 0.0667 * 50),
        ({"status": "failed", "failure_message": "a text of HeyGen"}, 0),
    ],
)
def test_a_script_costs_what_its_video_does(ask, vendor, paid, look, ending, credits):
    vendor.says({"data": {"video_id": "v1", "status": "waiting"}})
    job = ask("aivideo-create-video", SCRIPT)
    assert vendor.seen[0].target == "/v3/videos"
    assert paid() == 100 * 0.0667 * 50
    vendor.says({"data": ending})
    answer = look(job)
    assert answer.status_code == (502 if credits == 0 else 200)
    assert "a text of HeyGen" not in answer.text
    assert paid() == credits


@pytest.mark.parametrize(
    ("resolution", "price"), [(None, 0.0667), ("1080p", 0.0667), ("4k", 0.0833)]
)
def test_a_video_in_4k_costs_more(ask, vendor, paid, look, resolution, price):
    vendor.says({"data": {"video_id": "v1", "status": "waiting"}})
    more = {"resolution": resolution} if resolution else {}
    job = ask("aivideo-create-video", {**SCRIPT, **more})
    assert vendor.seen[0].json.get("resolution") == resolution
    assert paid() == 100 * price * 50
    vendor.says({"data": {**DONE, "duration": 60}})
    assert look(job).json["data"]["result"]["resolution"] == resolution
    assert paid() == 60 * price * 50


@pytest.mark.parametrize("ending", [DONE, {"status": "failed"}])
def test_without_a_length_4k_costs_the_most_and_a_failure_nothing(ask, vendor, paid, look, ending):
    vendor.says({"data": {"video_id": "v1", "status": "waiting"}})
    job = ask("aivideo-create-video", {**SCRIPT, "resolution": "4k"})
    vendor.says({"data": ending})
    look(job)
    assert paid() == (100 * 0.0833 * 50 if ending is DONE else 0)


def test_the_operators_avatar_speaks_where_a_call_names_none(app, ask, vendor):
    answer = ask("aivideo-create-video", {"script": "Hello."})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["avatarId"])
    assert vendor.seen == []
    app.extensions["vendor_settings"]["HEYGEN_AVATAR_ID"] = "bob"
    vendor.says({"data": {"video_id": "v1", "status": "waiting"}})
    assert ask("aivideo-create-video", {"script": "Hello."}).status_code == 200
    assert vendor.seen[0].json == {"type": "avatar", "script": "Hello.", "avatar_id": "bob"}


NOT_TOGETHER = [
    ({}, ["prompt"]),
    ({**SCRIPT, **PROMPT, "styleId": "a"}, ["prompt", "styleId"]),
    ({**PROMPT, "resolution": "720p"}, ["resolution"]),
    ({**PROMPT, "files": ["http://example.com/a.png"]}, ["files"]),
    ({**PROMPT, "files": ["https://10.0.0.1/a.png"]}, ["files"]),
    ({**PROMPT, "files": ["https://printer.local/a.png"]}, ["files"]),
    ({**PROMPT, "files": ["https://[::1]/a.png"]}, ["files"]),
]  # fmt: skip


def test_what_does_not_go_together_is_named(ask, vendor):
    for body, names in NOT_TOGETHER:
        answer = ask("aivideo-create-video", body)
        assert (answer.status_code, sorted(answer.json["details"])) == (400, names)
        assert vendor.seen == []
