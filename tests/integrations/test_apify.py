"""Posts and profiles of Instagram over Apify's runs."""

import pytest

from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

PROFILE = {"url": "https://www.instagram.com/ada/", "resultsType": "details", "wait": 0}


def run(status):
    return {"data": {"id": "run1", "status": status}}


@pytest.fixture
def job(alice, ask, vendor):
    """Starts a run; asks for its job while Apify says these answers."""
    vendor.says(run("READY"))
    job_id = ask("photosocial-extract-content", PROFILE).json["data"]["jobId"]

    def look(*answers):
        vendor.says(*answers)
        return alice.get(f"/api/integrations/jobs/{job_id}")

    return look


def test_a_run_ends_with_its_results_and_what_could_not_be_read(job, vendor):
    assert vendor.seen[0].json["directUrls"] == [PROFILE["url"]]
    assert job(run("RUNNING")).json["data"]["status"] == "running"
    details = {"username": "ada", "fullName": "Ada", "followersCount": 3, "url": PROFILE["url"]}
    said = job(run("SUCCEEDED"), [details, {"inputUrl": "u", "error": "private"}])
    result = said.json["data"]["result"]
    [item] = result["items"]
    assert (item["author"]["username"], item["author"]["followers"]) == ("ada", 3)
    assert (item["caption"], item["hashtags"]) == (None, [])
    assert result["errors"] == [{"url": "u", "error": "private"}]
    assert vendor.seen[-1].target == "/v2/actor-runs/run1/dataset/items?clean=true&limit=20"


@pytest.mark.parametrize("status", ["FAILED", "TIMED-OUT", "ABORTED"])
def test_a_run_that_ends_badly_is_a_failed_job(job, status):
    assert job(run(status)).json["error"] == "upstream_provider_error"


def test_a_query_says_how_long_to_wait(alice, vendor):
    """There it is a text; in a body of JSON it has to be a number."""
    vendor.says(run("READY"))
    answer = alice.get("/api/integrations/photosocial-extract-content", query_string=PROFILE)
    assert (answer.status_code, answer.json["data"]["status"]) == (200, "running")
    answer = alice.get(
        "/api/integrations/photosocial-extract-content", query_string={**PROFILE, "wait": "long"}
    )
    assert (answer.status_code, list(answer.json["details"])) == (400, ["wait"])


def test_only_addresses_of_the_site_are_read(ask, vendor):
    for url in (
        "https://www.instagram.com.example/ada/", "https://example.com/?www.instagram.com/ada",
        "http://www.instagram.com/ada/", "https://www.instagram.com/explore/tags/x/",
    ):  # fmt: skip
        answer = ask("photosocial-extract-content", {"url": url})
        assert list(answer.json["details"]) == ["url"], url
    assert vendor.seen == []
