"""The video site over YouTube's Data API."""

import pytest

from service.integrations.calling import sending
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]


def refusal(status, reason, kind="errors"):
    return Said(
        {"error": {"code": status, "message": "Secret.", kind: [{"reason": reason}]}}, status
    )


REFUSALS = [
    (refusal(403, "quotaExceeded"), 429, "rate_limited", "3600"),
    (refusal(403, "dailyLimitExceeded"), 429, "rate_limited", "3600"),
    (refusal(403, "rateLimitExceeded"), 429, "rate_limited", "5"),
    (refusal(403, "RATE_LIMIT_EXCEEDED", "details"), 429, "rate_limited", "5"),
    (refusal(403, "accessNotConfigured"), 502, "upstream_provider_error", None),
    (refusal(400, "keyInvalid"), 502, "upstream_provider_error", None),
    (refusal(400, "API_KEY_INVALID", "details"), 502, "upstream_provider_error", None),
    (refusal(400, "invalidPageToken"), 400, "invalid_request", None),
    (refusal(404, "videoChartNotFound"), 404, "not_found", None),
    (Said({"error": {"errors": [None, "x"], "details": 5}}, 403), 502, None, None),
]


def test_a_refusal_is_read_by_its_reason(ask, vendor):
    for said, status, code, pause in REFUSALS:
        vendor.says(said)
        answer = ask("videosite-trending")
        assert answer.status_code == status, said
        assert code in (None, answer.json["error"]), said
        assert answer.headers.get("Retry-After") == pause
        assert "Secret" not in answer.text


SEARCHES = (
    "Quota exceeded for quota metric 'Search Queries' and limit 'Search Queries per day' of "
    "service 'youtube.googleapis.com' for consumer 'project_number:1'."
)


def exhausted(message="Secret.", unit="1/min/{project}"):
    info = {"reason": "RATE_LIMIT_EXCEEDED", "metadata": {"quota_unit": unit}}
    error = {"message": message, "errors": [{"reason": "rateLimitExceeded"}], "details": [info]}
    return Said({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", **error}}, 429)


@pytest.mark.parametrize(
    ("said", "pause"),
    [
        (exhausted(SEARCHES), "3600"),
        (exhausted(unit="1/d/{project}"), "3600"),
        (exhausted(), "5"),
        (Said({}, 429), "5"),
    ],
)
def test_the_searches_of_a_day_are_not_there_again_in_seconds(
    ask, vendor, monkeypatch, said, pause
):
    """That limit is a 429, and its reason that of any limit."""
    monkeypatch.setattr(sending, "sleep", lambda seconds: None)
    vendor.says(said)
    answer = ask("videosite-search", {"query": "q"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, pause)
    assert "Secret" not in answer.text
    assert "youtube" not in answer.text


def test_only_a_search_has_titles_escaped_for_html(ask, vendor):
    item = {"id": {"videoId": "a"}, "snippet": {"title": "Q&amp;A &#39;live&#39;"}}
    vendor.says({"items": [item]})
    assert (
        ask("videosite-search", {"query": "q"}).json["data"]["videos"][0]["title"] == "Q&A 'live'"
    )
    vendor.says({"items": [{**item, "id": "a"}]})
    data = ask("videosite-video-details", {"videoIds": ["a"]}).json["data"]
    assert data["videos"][0]["title"] == "Q&amp;A &#39;live&#39;"


def test_a_channel_among_the_videos_of_a_search_is_left_out(ask, vendor):
    """YouTube gives the channel of a musician's name, though only videos are asked for."""
    ids = [{"channelId": "UC1"}, {"playlistId": "PL1"}, {"videoId": "v"}]
    vendor.says({"items": [{"id": one, "snippet": {"title": "Taylor"}} for one in ids]})
    [video] = ask("videosite-search", {"query": "taylor"}).json["data"]["videos"]
    assert video["id"] == "v"
    vendor.says({"items": [{"id": {"kind": "youtube#video"}}]})
    assert ask("videosite-search", {"query": "another shape"}).status_code == 502


def test_no_video_is_an_empty_list(ask, vendor):
    vendor.says({"kind": "youtube#videoListResponse"})
    assert ask("videosite-video-details", {"videoIds": ["lost"]}).json["data"] == {"videos": []}


@pytest.mark.parametrize(
    ("localized", "told"),
    [
        ({"title": "Hallo", "description": "Welt"}, ("Hallo", "Welt")),
        ({"title": "Hallo"}, ("Hallo", "World")),
        (None, ("Hello", "World")),
        (["Hallo"], ("Hello", "World")),
    ],
)
def test_texts_are_in_the_language_that_is_asked_for(ask, vendor, localized, told):
    """YouTube leaves `title` as it is, and gives the translation beside it."""
    snippet = {"title": "Hello", "description": "World", "localized": localized}
    vendor.says({"items": [{"id": "a", "snippet": snippet}]})
    body = {"videoIds": ["a"]}
    [video] = ask("videosite-video-details", {**body, "language": "de"}).json["data"]["videos"]
    assert (video["title"], video["description"]) == told
    [video] = ask("videosite-video-details", body).json["data"]["videos"]
    assert (video["title"], video["description"]) == ("Hello", "World")


@pytest.mark.parametrize(
    ("endpoint", "body"),
    [("videosite-search", {"query": "q"}), ("videosite-video-details", {"videoIds": ["a"]})],
)
def test_a_language_may_have_the_number_of_a_region(ask, vendor, endpoint, body):
    vendor.says({"items": []})
    assert ask(endpoint, {**body, "language": "es-419"}).status_code == 200
    for wrong in ("es-41", "es-4190", "es_419", "es-"):
        refused = ask(endpoint, {**body, "language": wrong})
        assert (refused.status_code, list(refused.json["details"])) == (400, ["language"])
