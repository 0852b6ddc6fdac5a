"""Answers of vendors with ids that no path or column takes, and numbers that no double holds."""

import pytest

from service.integrations.vendors.magnific.auto import DRAWN
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

ODD_IDS = ["", "..", "a/../b", "a\ud83d", "a\0", "a" * 600]
HUGE = [10**400, -(10**400), 10**307]
FAILED = (502, "upstream_provider_error")
PAPERS = {"total": 1, "offset": 0}


@pytest.mark.parametrize(
    ("endpoint", "body", "answer"),
    [
        (
            "aivideo-create-video",
            {"prompt": "a"},
            lambda id_: {"data": {"session_id": id_, "status": "thinking"}},
        ),
        ("neuralsearch-research", {"query": "a"}, lambda id_: {"id": id_, "status": "running"}),
        ("crawl-crawl", {"url": "https://example.com/", "wait": 0}, lambda id_: {"id": id_}),
        (
            "generate-image-mystic",
            {"prompt": "a", "wait": 0},
            lambda id_: {"data": {"task_id": id_, "status": "CREATED"}},
        ),
    ],
    ids=["heygen", "exa", "firecrawl", "magnific"],
)
def test_a_task_that_cannot_be_asked_for_is_no_job_and_free(
    ask, vendor, paid, endpoint, body, answer
):
    for number, id_ in enumerate(ODD_IDS, 1):
        vendor.says(answer(id_))
        refused = ask(endpoint, body)
        assert (refused.status_code, refused.json["error"]) == FAILED, id_
        assert (paid(), len(vendor.seen)) == (0, number)


@pytest.mark.parametrize("id_", ["..", "a/../b", "a\ud83d"])
def test_an_id_of_an_answer_that_fits_no_path_is_the_vendors_failure(ask, vendor, look, id_):
    vendor.says({"data": {"session_id": "s1", "status": "thinking"}})
    job = ask("aivideo-create-video", {"prompt": "a"})
    vendor.says({"data": {"status": "thinking", "video_id": id_}})
    found = look(job.json["data"]["jobId"])
    assert (found.status_code, found.json["error"]) == FAILED
    assert len(vendor.seen) == 2
    vendor.says({**PAPERS, "data": [{"authorId": id_, "name": "Ada"}]})
    found = ask("scholar-draft-email", {"authorName": "Ada", "purpose": "a"})
    assert (found.status_code, found.json["error"]) == FAILED


def test_half_a_character_in_an_answer_goes_into_no_query(ask, vendor):
    vendor.says({"coins": [{"id": "bit\ud83d"}]})
    found = ask("search-crypto", {"query": "bit"})
    assert (found.status_code, found.json["error"]) == FAILED
    assert len(vendor.seen) == 1
    vendor.says({"result": [{"symbol": "A\ud83d"}, {"symbol": "B"}]}, {"t": 1, "c": 5})
    stocks = ask("search-stocks", {"query": "a"}).json["data"]["stocks"]
    assert [(one["symbol"], one["price"]) for one in stocks] == [("A\ud83d", None), ("B", 5)]


@pytest.mark.parametrize("number", HUGE, ids=["above", "below", "within"])
def test_an_impossible_cost_is_not_charged(ask, vendor, paid, number):
    """The most that the call can cost is charged, as where no cost is reported."""
    usage = {"prompt_tokens": number, "completion_tokens": number, "total_tokens": number}
    choice = {"message": {"content": "Yes."}, "finish_reason": "stop"}
    vendor.says({"model": "gpt-5.4-nano", "choices": [choice], "usage": usage})
    body = {"prompt": "a", "model": "gpt-5.4-nano"}
    assert ask("generate-text", body).json["data"]["usage"]["inputTokens"] == number
    assert 0 < (spent := paid().expected) < 1
    told = {"text": "Hi.", "language_code": "en", "audio_duration_secs": number}
    vendor.says(told)
    assert ask("speech-to-text", {"audioBase64": "SUQz"}).status_code == 200
    assert paid() == spent + 11
    page = {"success": True, "data": {"metadata": {"creditsUsed": number}}}
    vendor.says(page)
    assert ask("crawl-scrape", {"url": "https://example.com/"}).status_code == 200
    assert paid() == spent + 11 + 2.5


@pytest.mark.parametrize("number", HUGE, ids=["above", "below", "within"])
def test_an_impossible_cost_of_a_picture_is_not_charged(ask, vendor, paid, number):
    usage = {"input_tokens": number, "output_tokens": number, "total_tokens": number}
    vendor.says({**DRAWN, "usage": usage})
    picked = ask("generate-image", {"prompt": "A cat with wings", "model": "llm"})
    assert (picked.status_code, picked.json["data"]["status"]) == (200, "done")
    assert 0 < (spent := paid().expected) < 50
    assert ask("generate-image-llm", {"prompt": "a"}).status_code == 200
    assert spent < paid().expected < 100


@pytest.mark.parametrize("number", HUGE, ids=["above", "below", "within"])
def test_an_impossible_cost_of_a_job_is_not_charged(ask, vendor, paid, look, number):
    vendor.says({"data": {"video_id": "v1", "status": "waiting"}})
    job = ask("aivideo-create-video", {"script": "x" * 100, "avatarId": "bob"})
    vendor.says({"data": {"status": "completed", "video_url": "u", "duration": number}})
    assert look(job.json["data"]["jobId"]).json["data"]["result"]["durationSeconds"] == number
    spent = paid().expected
    vendor.says({"success": True, "id": "c1"})
    job = ask("crawl-crawl", {"url": "https://example.com/", "wait": 0})
    vendor.says({"status": "completed", "data": [], "creditsUsed": number})
    assert look(job.json["data"]["jobId"]).json["data"]["status"] == "done"
    assert paid() == spent + 5
