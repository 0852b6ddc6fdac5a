"""Pictures sent to Magnific to be changed, and its stock."""

import base64

import pytest
from sqlalchemy.exc import OperationalError

from service.integrations.calling import sending
from service.outbound import guarded
from service.web.errors import Unavailable
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

TASK = "046b6c7f-0b8a-43b9-b35d-6489e6daee91"
STARTED = {"data": {"task_id": TASK, "status": "CREATED", "generated": []}}
PHOTO, SENT = b"\xff\xd8 a photo", base64.b64encode(b"\xff\xd8 a photo").decode()
TALL = b"x" * 10_000_001
INVALID, FAILED = (400, "invalid_request"), (502, "upstream_provider_error")


@pytest.fixture
def public(monkeypatch):
    """The scripted server counts as public, 127.0.0.2 does not; no pause between two attempts."""
    monkeypatch.setattr(guarded, "is_public", lambda address: str(address) == "127.0.0.1")
    monkeypatch.setattr(sending, "sleep", lambda seconds: None)


@pytest.fixture
def shows(vendor):
    """The scripted server has a picture beside the API."""

    def showing(picture):
        vendor.seen.clear()
        vendor.says(lambda asked: Said(STARTED) if asked.method == "POST" else picture)

    return showing


@pytest.mark.parametrize(
    ("endpoint", "body", "path"),
    [
        ("upscale-image", {"mode": "creative"}, "/v1/ai/image-upscaler"),
        ("expand-image", {"model": "ideogram", "top": 9}, "/v1/ai/image-expand/ideogram"),
        ("expand-image", {"model": "flux-pro", "top": 9}, "/v1/ai/image-expand/flux-pro"),
    ],
)
def test_a_picture_is_fetched_for_what_takes_base64_only(
    ask, vendor, public, shows, endpoint, body, path
):
    shows(Said(PHOTO, headers={"Content-Type": "image/jpeg"}))
    url = f"{vendor.url}/photo.jpg"
    answer = ask(endpoint, {**body, "image": url, "wait": 0})
    assert answer.json["data"]["status"] == "running"
    fetched, sent = vendor.seen
    assert (fetched.target, sent.path, sent.json["image"]) == ("/photo.jpg", path, SENT)
    assert "x-magnific-api-key" not in fetched.headers
    ask(endpoint, {**body, "image": SENT, "wait": 0})
    assert [asked.method for asked in vendor.seen[2:]] == ["POST"]  # base64 is passed on


def test_magnific_fetches_a_picture_itself_where_it_can(ask, vendor, shows):
    shows(Said(PHOTO))
    url = "https://example.com/photo.jpg"
    for endpoint, more in [
        ("upscale-image", {}),
        ("expand-image", {"left": 1}),
        ("relight-image", {"lightmap": SENT}),
        ("style-transfer-image", {"referenceImage": SENT}),
    ]:
        assert ask(endpoint, {**more, "image": url, "wait": 0}).status_code == 200
        assert vendor.seen[-1].json["image"] == url
    assert {asked.method for asked in vendor.seen} == {"POST"}


def test_a_picture_that_cannot_be_fetched_is_the_callers_fault(alice, ask, vendor, public, shows):
    credits = alice.get("/api/credits").json["balance"]
    port = vendor.url.rpartition(":")[2]
    body = {"mode": "creative", "image": f"{vendor.url}/photo.jpg"}
    moved = Said({}, 302, {"Location": f"http://127.0.0.2:{port}/"})
    for picture in [Said({}, 404), Said(TALL), moved, *[Said({}, 500)] * 6]:
        shows(picture)
        answer = ask("upscale-image", body)
        assert (answer.status_code, list(answer.json["details"])) == (400, ["image"])
        assert {asked.method for asked in vendor.seen} == {"GET"}
    vendor.seen.clear()
    answer = ask("upscale-image", {**body, "image": f"http://127.0.0.2:{port}/"})
    assert (answer.status_code, answer.json["error"], vendor.seen) == (*INVALID, [])
    assert alice.get("/api/credits").json["balance"] == credits
    shows(Said(PHOTO))  # after all these failures, Magnific is still asked
    assert ask("upscale-image", {**body, "wait": 0}).status_code == 200


@pytest.mark.parametrize(
    "task",
    [
        {"task_id": TASK, "task_status": "COMPLETED", "generated": ["https://a.example/1.png"]},
        {"data": {"task_id": TASK, "task_status": "COMPLETED", "generated": ["https://a.example/1.png"]}},
    ],
    ids=["flat", "in data"],
)  # fmt: skip
def test_a_style_transfer_may_answer_with_the_task_itself(alice, ask, vendor, task):
    vendor.says({**task})
    body = {"image": SENT, "referenceImage": SENT}
    done = ask("style-transfer-image", body).json["data"]
    assert done["result"]["images"] == [{"url": "https://a.example/1.png"}]
    vendor.says({"task_id": TASK, "task_status": "IN_PROGRESS", "generated": []}, task)
    started = ask("style-transfer-image", {**body, "wait": 0}).json["data"]
    assert started["status"] == "running"
    state = alice.get(f"/api/integrations/jobs/{started['jobId']}").json["data"]
    assert state["result"] == done["result"]


def test_what_the_plan_does_not_include_is_forbidden(ask, vendor):
    for status, outcome in [
        (403, (403, "forbidden")), (401, FAILED), (400, INVALID), (404, (404, "not_found")),
        (429, (429, "rate_limited")),
    ]:  # fmt: skip
        vendor.says(Said({"message": "secret"}, status, {"Retry-After": "3600"}))
        for kind in ("icon", "stock-image", "stock-video"):
            answer = ask(f"download-{kind}", {"id": 5})
            assert (answer.status_code, answer.json["error"]) == outcome
            assert "secret" not in answer.text


def test_a_search_that_finds_nothing_is_an_empty_list(ask, vendor):
    vendor.says(Said({"message": "No results found for this search"}, 404))
    for kind in ("icons", "stock-images", "stock-videos"):
        data = ask(f"search-{kind}", {"query": "x"}).json["data"]
        assert (data["results"], data["pagination"]["total"]) == ([], 0)


def test_enlarging_costs_by_the_factor(alice, ask, vendor):
    vendor.says(STARTED)
    paid = []
    for factor in (2, 3, 4, 16):
        before = alice.get("/api/credits").json["balance"]
        ask("upscale-image", {"image": SENT, "scaleFactor": factor, "wait": 0})
        paid.append(round(before - alice.get("/api/credits").json["balance"], 3))
    assert paid == [11.5, 23, 23, 29]


def test_parameters_that_do_not_go_together_are_named(ask, vendor):
    for endpoint, body, name in [
        ("upscale-image", {"image": SENT, "prompt": "x"}, "prompt"),
        ("upscale-image", {"image": SENT, "mode": "creative", "sharpen": 1}, "sharpen"),
        ("upscale-image", {"image": SENT, "mode": "creative", "scaleFactor": 3}, "scaleFactor"),
        ("upscale-image", {"image": "not base64!"}, "image"),
        ("upscale-image", {"image": "http://[::::]/", "mode": "creative"}, "image"),
        ("upscale-image", {"image": "http://a.example/"}, "image"),
        ("expand-image", {"image": "https://127.0.0.1/", "top": 1}, "image"),
        ("relight-image", {"image": SENT, "lightmap": "https://printer.local/a"}, "lightmap"),
        ("remove-background", {"imageUrl": "http://a.example/a.png"}, "imageUrl"),
        ("upscale-image", {"image": f"https://a.example/{'a' * 2048}"}, "image"),
        ("upscale-image", {"image": "A" * 6_990_512}, "image"),
        ("expand-image", {"image": SENT}, "left"),
        ("expand-image", {"image": SENT, "top": 1, "seed": 1, "model": "flux-pro"}, "seed"),
        ("relight-image", {"image": SENT, "referenceImage": SENT, "lightmap": SENT}, "lightmap"),
        ("style-transfer-image", {"image": SENT, "referenceImage": SENT, "portraitStyle": "pop"},
         "portraitStyle"),
        ("download-icon", {"id": 5, "pngSize": 64}, "pngSize"),
        ("download-icon", {"id": 5, "format": "png", "pngSize": 65}, "pngSize"),
        ("download-stock-image", {"id": 5, "format": "psd", "imageSize": "small"}, "format"),
        ("search-stock-videos", {"query": "x", "durationFrom": 9, "durationTo": 8}, "durationTo"),
    ]:  # fmt: skip
        answer = ask(endpoint, body)
        assert (answer.status_code, list(answer.json["details"])) == (400, [name])
    assert vendor.seen == []


def test_a_newline_at_the_end_is_the_callers_fault_and_opens_no_breaker(ask, vendor):
    vendor.says({"data": [], "meta": {"pagination": {}}})
    for _ in range(5):
        refused = ask("search-icons", {"query": "dog", "language": "en\n"})
        assert (refused.status_code, list(refused.json["details"])) == (400, ["language"])
    assert vendor.seen == []
    assert ask("search-icons", {"query": "dog", "language": "en"}).status_code == 200


def test_a_picture_that_comes_too_slowly_is_not_blamed_on_the_vendor(
    ask, vendor, shows, public, within
):
    within(10)  # less than must be left after it
    shows(Said(PHOTO, headers={"Content-Type": "image/jpeg"}))
    body = {"image": f"{vendor.url}/a.jpg", "mode": "creative"}
    refused = ask("upscale-image", body)
    assert (refused.status_code, list(refused.json["details"])) == (400, ["image"])
    assert [asked.method for asked in vendor.seen] == ["GET"]
    assert ask("upscale-image", {**body, "image": SENT}).status_code == 200


PNG = b"\x89PNG a cut-out"


def cut_out(ask, vendor, url, *pictures):
    """The answer to a call whose result is at this address, where these pictures are."""
    found = {"url": url, "high_resolution": "https://a/h", "original": "https://a/o"}
    vendor.says(found, *pictures)
    return ask("remove-background", {"imageUrl": "https://example.com/photo.jpg"}).json["data"]


def test_a_cut_out_is_copied_before_its_address_ends(alice, ask, vendor, public):
    picture = Said(PNG, headers={"Content-Type": "binary/octet-stream"})
    data = cut_out(ask, vendor, f"{vendor.url}/result.png", picture)
    image = data["image"]
    assert alice.get(image["url"]).data == PNG
    assert (image["mediaType"], image["bytes"]) == ("image/png", len(PNG))
    assert (image["highResolutionUrl"], data["originalUrl"]) == ("https://a/h", "https://a/o")
    assert data["expiresInSeconds"] == 300
    asked = vendor.seen[1]
    assert (asked.target, "x-magnific-api-key" in asked.headers) == ("/result.png", False)


def test_a_result_on_magnifics_host_is_asked_for_where_that_host_is(ask, vendor):
    url = "https://api.magnific.com/v1/ai/beta/images/download/1/high.png?a=b"
    image = cut_out(ask, vendor, url, Said(PNG))["image"]
    assert image["bytes"] == len(PNG)
    asked = vendor.seen[1]
    assert asked.target == "/v1/ai/beta/images/download/1/high.png?a=b"
    assert asked.headers["x-magnific-api-key"] == "magnific-canary"


def test_an_address_that_is_none_is_answered_as_it_is(ask, vendor, public):
    for url in ("https://[::::]/", "file:///etc/passwd", "http://127.0.0.2/a", "x"):
        assert cut_out(ask, vendor, url, Said(PNG))["image"]["url"] == url


@pytest.mark.parametrize("picture", [Said(status=404), Said(b"<html>"), Said(b"")])
def test_a_cut_out_that_cannot_be_copied_is_answered_with_its_own_address(
    ask, vendor, public, picture
):
    url = f"{vendor.url}/result.png"
    image = cut_out(ask, vendor, url, picture)["image"]
    assert (image["url"], image["expiresAt"], image["bytes"]) == (url, None, None)


def test_a_cut_out_needs_no_room_in_the_store(app, alice, ask, vendor, public, monkeypatch):
    monkeypatch.setattr(app.extensions["media"], "_quota", len(PNG))
    url = f"{vendor.url}/result.png"
    first, second = (cut_out(ask, vendor, url, Said(PNG))["image"] for _ in range(2))
    assert alice.get(first["url"]).data == PNG
    assert (second["url"], second["expiresAt"]) == (url, None)


@pytest.mark.parametrize("error", [Unavailable(), OperationalError("x", {}, Exception())])
def test_a_cut_out_that_cannot_be_stored_is_answered_with_its_own_address(
    app, ask, vendor, public, monkeypatch, error
):
    def fail(*facts):
        raise error

    monkeypatch.setattr(app.extensions["media"], "_write", fail)
    url = f"{vendor.url}/result.png"
    image = cut_out(ask, vendor, url, Said(PNG))["image"]
    assert (image["url"], image["expiresAt"]) == (url, None)
