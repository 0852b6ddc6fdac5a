"""Search by meaning, contents, answers and research over Exa's API."""

import json
from datetime import timedelta

import gevent
import pytest
from gevent.pool import Pool
from sqlalchemy import update

from service.extensions import db
from service.integrations.declare.example import File
from service.integrations.models import IntegrationJob
from service.times import now
from tests.app_database import execute_write
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]


def example_answer(name):
    return json.loads(File(f"exa/{name}.json").content())


SEARCH, CONTENTS, ANSWER = (
    example_answer("search"),
    example_answer("contents"),
    example_answer("answer"),
)
QUEUED, RUN = example_answer("queued"), example_answer("run")
PAGE = SEARCH["results"][0]


def refusal(status, tag="SOMETHING"):
    return Said({"requestId": "r", "error": "a text of Exa", "tag": tag}, status)


@pytest.fixture
def credits_of(alice):
    return lambda: alice.get("/api/credits").json["balance"]


@pytest.fixture
def started(ask, vendor):
    """A research job that the vendor has accepted."""
    vendor.says(QUEUED)
    return ask("neuralsearch-research", {"query": "overviews"}).json["data"]["jobId"]


def test_a_search_asks_with_the_operators_key(ask, vendor):
    vendor.says(SEARCH)
    body = {"query": "language models", "summaryQuery": "size", "maxAgeHours": 24, "text": True}
    data = ask("neuralsearch-search", body).json["data"]
    asked = vendor.seen[0]
    assert (asked.method, asked.target, asked.headers["x-api-key"]) == (
        "POST",
        "/search",
        "exa-canary",
    )
    wanted = {"text": True, "highlights": True, "summary": {"query": "size"}, "maxAgeHours": 24}
    assert asked.json["contents"] == wanted
    assert (asked.json["type"], asked.json["numResults"]) == ("auto", 10)
    assert data["results"] == [PAGE]
    assert data["costDollars"] == 0.007


def test_dates_are_sent_in_utc_and_must_have_a_zone(ask, vendor):
    vendor.says(SEARCH)
    ask("neuralsearch-search", {"query": "a", "startPublishedDate": "2026-01-01T00:00:00+02:00"})
    assert vendor.seen[0].json["startPublishedDate"] == "2025-12-31T22:00:00Z"
    for date in ("2026-01-01", "0001-01-01T00:00:00+10:00", "soon"):
        answer = ask("neuralsearch-search", {"query": "a", "startPublishedDate": date})
        assert (answer.status_code, list(answer.json["details"])) == (400, ["startPublishedDate"])


def test_a_page_has_null_for_what_exa_does_not_give(ask, vendor):
    vendor.says({"results": [{"url": "https://a.example/", "title": "a"}]})
    data = ask("neuralsearch-search", {"query": "a", "highlights": False}).json["data"]
    nothing = dict.fromkeys(PAGE.keys() - {"url", "title"})
    assert data["results"] == [{"url": "https://a.example/", "title": "a", **nothing}]
    assert (data["requestId"], data["costDollars"]) == (None, None)


@pytest.mark.parametrize("category", ["company", "people"])
def test_filters_that_a_category_refuses_are_not_sent(ask, vendor, category):
    body = {"query": "a", "category": category, "excludeDomains": ["example.com"]}
    answer = ask("neuralsearch-search", body)
    assert (answer.status_code, list(answer.json["details"])) == (400, ["excludeDomains"])
    assert vendor.seen == []


@pytest.mark.parametrize("endpoint", ["neuralsearch-search", "neuralsearch-find-similar"])
def test_people_are_found_at_linkedin_only(ask, vendor, endpoint):
    """Exa's category of people accepts no other domains, and answers them with 400."""
    vendor.says(SEARCH)
    asked = {"query": "a"} if endpoint == "neuralsearch-search" else {"url": "https://a.example/"}
    for domain in ("example.com", "linkedin.com.evil.example", "notlinkedin.com"):
        body = {**asked, "category": "people", "includeDomains": ["linkedin.com", domain]}
        refused = ask(endpoint, body)
        assert (refused.status_code, list(refused.json["details"])) == (400, ["includeDomains"])
    assert vendor.seen == []
    for domain in ("linkedin.com", "www.LinkedIn.com", "de.linkedin.com/in"):
        body = {**asked, "category": "people", "includeDomains": [domain]}
        assert ask(endpoint, body).status_code == 200
    everywhere = {**asked, "category": "company", "includeDomains": ["example.com"]}
    assert ask(endpoint, everywhere).status_code == 200


def test_similar_pages_come_from_elsewhere(ask, vendor):
    own = {**PAGE, "url": "https://www.example.com/b"}
    vendor.says({**SEARCH, "results": [own, PAGE]})
    data = ask("neuralsearch-find-similar", {"url": "https://example.com/a"}).json["data"]
    assert vendor.seen[0].json["query"] == "pages similar to https://example.com/a"
    assert vendor.seen[0].json["excludeDomains"] == ["example.com"]
    assert [result["url"] for result in data["results"]] == [PAGE["url"]]
    assert data["sourceUrl"] == "https://example.com/a"
    body = {"url": "https://example.com/a", "includeDomains": ["example.com", "example.org"]}
    vendor.says({**SEARCH, "results": [own, PAGE]})
    data = ask("neuralsearch-find-similar", body).json["data"]
    assert "excludeDomains" not in vendor.seen[-1].json  # Exa may refuse both lists together
    assert [result["url"] for result in data["results"]] == [PAGE["url"]]


def test_similar_people_are_filtered_by_us(ask, vendor):
    own = {**PAGE, "url": "https://example.com/b"}
    vendor.says({**SEARCH, "results": [own]})
    body = {"url": "https://example.com/a", "category": "people"}
    assert ask("neuralsearch-find-similar", body).json["data"]["results"] == []
    assert "excludeDomains" not in vendor.seen[0].json
    everything = ask("neuralsearch-find-similar", {**body, "excludeSourceDomain": False})
    assert len(everything.json["data"]["results"]) == 1


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "javascript:alert(1)", "example.com", "a" * 3000, "http://[::::]/"],
)
def test_only_web_addresses_are_passed_on(ask, vendor, url):
    assert ask("neuralsearch-find-similar", {"url": url}).status_code == 400
    assert ask("neuralsearch-contents", {"urls": [url]}).status_code == 400
    assert vendor.seen == []


def test_contents_say_which_pages_could_not_be_read(ask, vendor):
    lost = {"id": "https://a.example/", "status": "error", "error": {"tag": "CRAWL_NOT_FOUND"}}
    vendor.says({**CONTENTS, "results": [], "statuses": [lost]})
    body = {"urls": ["https://a.example/"], "maxCharacters": 500, "highlightsQuery": "size"}
    data = ask("neuralsearch-contents", body).json["data"]
    told = {"url": "https://a.example/", "status": "error", "error": "CRAWL_NOT_FOUND"}
    assert (data["results"], data["statuses"]) == ([], [told])
    asked = vendor.seen[0].json
    assert (asked["text"], asked["highlights"]) == ({"maxCharacters": 500}, {"query": "size"})


def test_subpages_count_as_pages_that_are_paid_for(ask, vendor):
    body = {"urls": ["https://a.example/", "https://b.example/"], "subpages": 50}
    answer = ask("neuralsearch-contents", body)
    assert (answer.status_code, list(answer.json["details"])) == (400, ["subpages"])
    assert vendor.seen == []


def test_an_answer_comes_with_its_sources(ask, vendor):
    vendor.says(ANSWER)
    schema = {"type": "object", "properties": {"a\ud800": {"type": "string"}}}
    data = ask("neuralsearch-answer", {"query": "worth?", "outputSchema": schema}).json["data"]
    assert data["answer"] == "$350 billion."
    assert data["citations"][0]["url"] == PAGE["url"]
    assert vendor.seen[0].json["outputSchema"] == schema


SIMPLEST = [
    ("search", {"query": "a"}, 0.35),
    ("find-similar", {"url": "https://example.com/"}, 0.35),
    ("contents", {"urls": ["https://example.com/"]}, 0.05),
    ("answer", {"query": "a"}, 0.25),
    ("research", {"query": "a"}, 50),
]


@pytest.mark.parametrize(("endpoint", "body", "price"), SIMPLEST)
def test_the_simplest_call_costs_what_the_catalog_says(
    alice, ask, credits_of, endpoint, body, price
):
    name, before = f"neuralsearch-{endpoint}", credits_of()
    assert ask(name, body).status_code == 200
    assert before - credits_of() == pytest.approx(price)
    told = alice.get("/api/integrations/catalog").json["endpoints"]
    entry = next(item for item in told if item["name"] == name)
    assert (entry["credits"], entry["metered"]) == (price, True)


PAGES = [f"https://example.com/{number}" for number in range(50)]
MOST = [
    ("search", {"query": "a", "numResults": 100}, 0.097),
    ("search", {"query": "a", "numResults": 100, "summaryQuery": "b", "text": True}, 0.197),
    ("search", {"query": "a", "type": "deep"}, 0.012),
    ("search", {"query": "a", "type": "deep-reasoning", "numResults": 20}, 0.025),
    ("find-similar", {"url": PAGES[0], "numResults": 12, "summaryQuery": "b"}, 0.021),
    ("contents", {"urls": PAGES}, 0.05),
    ("contents", {"urls": PAGES, "subpages": 1, "summaryQuery": "b", "highlightsQuery": "c"}, 0.3),
    ("contents", {"urls": PAGES, "text": False}, 0.05),
    ("answer", {"query": "a"}, 0.005),
    ("research", {"query": "a", "effort": "low"}, 0.025),
    ("research", {"query": "a", "effort": "xhigh"}, 1),
]


@pytest.mark.parametrize(("endpoint", "body", "dollars"), MOST)
def test_the_most_that_a_call_can_cost_is_held_and_charged_where_exa_says_nothing(
    ask, alice, vendor, credits_of, endpoint, body, dollars
):
    held = []

    def look(asked):
        held.append(alice.get("/api/credits").json["held"])
        told = {"results": [], "answer": "", **QUEUED}
        return Said(told)

    vendor.says(look)
    before = credits_of()
    assert ask(f"neuralsearch-{endpoint}", body).status_code == 200
    assert held == [pytest.approx(dollars * 50)]
    assert before - credits_of() == pytest.approx(dollars * 50)


@pytest.mark.parametrize(
    ("told", "charged"),
    [(0.003, 0.15), (0, 0), (None, 0.35), ("much", 0.35), (True, 0.35),
     (-1, 0.35), (5, 0.35), (1e300, 0.35)],
)  # fmt: skip
def test_what_exa_says_it_has_cost_is_charged(ask, vendor, credits_of, told, charged):
    vendor.says({**SEARCH, "costDollars": {"total": told}})
    before = credits_of()
    assert ask("neuralsearch-search", {"query": "a"}).status_code == 200
    assert before - credits_of() == pytest.approx(charged)


def test_what_it_has_cost_beyond_the_hold_is_told_to_the_ledger(ask, alice, vendor):
    vendor.says({**SEARCH, "costDollars": {"total": 0.01}})
    assert ask("neuralsearch-search", {"query": "a"}).status_code == 200
    entry = alice.get("/api/credits").json["entries"][0]
    assert -entry["amount"] + entry["facts"].get("loss", 0) == pytest.approx(0.5)


def test_a_run_that_is_metered_has_a_budget_and_gives_back_what_it_does_not_use(
    ask, vendor, look, credits_of
):
    vendor.says(QUEUED, {**RUN, "costDollars": {"total": 0.1}})
    before = credits_of()
    job = ask("neuralsearch-research", {"query": "a"}).json["data"]["jobId"]
    assert vendor.seen[0].json["budget"] == {"maxCostDollars": 1}
    assert before - credits_of() == pytest.approx(50)
    for _ in range(2):
        assert look(job).json["data"]["status"] == "done"
        assert before - credits_of() == pytest.approx(5)
    ask("neuralsearch-research", {"query": "a", "effort": "low"})
    assert "budget" not in vendor.seen[-1].json


def test_a_refund_tells_the_day_of_its_charge(app, ask, alice, vendor, look):
    vendor.says(QUEUED, {**RUN, "costDollars": {"total": 0.1}})
    job = ask("neuralsearch-research", {"query": "a"}).json["data"]["jobId"]
    yesterday = now() - timedelta(days=1)
    execute_write(app, update(IntegrationJob).values(created_at=yesterday))
    assert look(job).json["data"]["status"] == "done"
    [refund, *_] = alice.get("/api/credits").json["entries"]
    assert refund["facts"] == {"chargedOn": yesterday.date().isoformat()}


def test_two_polls_at_the_same_time_refund_once(app, ask, alice, vendor, look, credits_of):
    vendor.says(QUEUED)
    before = credits_of()
    job = ask("neuralsearch-research", {"query": "a"}).json["data"]["jobId"]

    def slow(_asked):
        gevent.sleep(0.1)
        return Said({**RUN, "costDollars": {"total": 0.2}})

    vendor.says(slow)
    headers = {"Authorization": f"Bearer {alice.token}"}
    path = f"/api/integrations/jobs/{job}"
    looks = Pool(5).map(lambda _: app.test_client().get(path, headers=headers), range(5))
    assert {answer.json["data"]["status"] for answer in looks} == {"done"}
    assert before - credits_of() == pytest.approx(10)


REFUSALS = [
    (refusal(400), 400, "invalid_request"),
    (refusal(422), 400, "invalid_request"),
    (refusal(401, "INVALID_API_KEY"), 502, "upstream_provider_error"),
    (refusal(402, "NO_MORE_CREDITS"), 502, "upstream_provider_error"),
    (refusal(403, "FEATURE_DISABLED"), 502, "upstream_provider_error"),
    (refusal(403, "PROHIBITED_CONTENT"), 403, "forbidden"),
    (refusal(403, "ROBOTS_FILTER_FAILED"), 403, "forbidden"),
    (refusal(410, "RESEARCH_RETIRED"), 502, "upstream_provider_error"),
    (refusal(429, "RATE_LIMITED"), 429, "rate_limited"),
    (refusal(501, "UNABLE_TO_GENERATE_RESPONSE"), 404, "not_found"),
    (refusal(503), 502, "upstream_provider_error"),
    (Said({"error": {"code": "PROHIBITED_CONTENT"}}, 403), 403, "forbidden"),
]


def test_a_refusal_is_told_in_our_words_asked_once_and_free(ask, vendor, credits_of):
    for said, status, error in REFUSALS:
        vendor.seen.clear()
        vendor.says(said)
        before = credits_of()
        answer = ask("neuralsearch-search", {"query": "a"})
        assert (answer.status_code, answer.json["error"]) == (status, error), said
        assert "a text of Exa" not in answer.text
        assert "canary" not in answer.text
        assert (len(vendor.seen), credits_of()) == (1, before)


def test_research_is_a_job_that_is_asked_for(ask, vendor, started, look):
    vendor.says({**QUEUED, "status": "running"}, RUN)
    assert look(started).json["data"] == {"jobId": started, "status": "running"}
    data = look(started).json["data"]
    assert (data["status"], data["result"]["report"]) == ("done", RUN["output"]["text"])
    assert data["result"]["citations"] == [{"title": PAGE["title"], "url": PAGE["url"]}]
    assert look(started).json["data"] == data
    assert [asked.method for asked in vendor.seen] == ["POST", "GET", "GET"]
    assert vendor.seen[-1].target == f"/agent/runs/{RUN['id']}"


def test_a_source_is_cited_once(ask, vendor, started, look):
    cited = [RUN["output"]["grounding"][0]] * 3
    vendor.says({**RUN, "output": {"text": "a", "grounding": cited}})
    assert len(look(started).json["data"]["result"]["citations"]) == 1


def test_research_does_not_wait_unless_told_to(app, ask, vendor):
    vendor.says(QUEUED, RUN)
    first = ask("neuralsearch-research", {"query": "a"}).json["data"]
    assert (first["status"], len(vendor.seen)) == ("running", 1)
    for wait in (-1, 61, "long", "5", True, None):
        answer = ask("neuralsearch-research", {"query": "a", "wait": wait})
        assert answer.status_code == 400
        assert answer.json["details"] == {"wait": ["Must be a number of seconds from 0 to 60."]}


def test_a_job_is_its_owners_alone(bob, started):
    answer = bob.get(f"/api/integrations/jobs/{started}")
    assert (answer.status_code, answer.json["error"]) == (404, "not_found")


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_failed_run_is_the_upstreams_failure(vendor, started, look, state):
    vendor.says({**QUEUED, "status": state, "error": {"message": "a text of Exa"}})
    answer = look(started)
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")
    assert "a text of Exa" not in answer.text
    assert look(started).status_code == 502
    assert len(vendor.seen) == 2  # it is known now, and not asked for again


@pytest.mark.parametrize(
    "run", [{}, [], {"id": "a", "status": "dreaming"}, {"status": "completed"}]
)
def test_a_run_of_another_shape_is_the_upstreams_failure(ask, vendor, started, look, run):
    vendor.says(run)
    answer = look(started)
    assert (answer.status_code, answer.json["upstreamStatus"]) == (502, 200)
    assert ask("neuralsearch-research", {"query": "a"}).status_code == 502
    vendor.says(RUN)
    assert look(started).json["data"]["status"] == "done"


@pytest.fixture
def late(app, started):
    """The job, whose time is over."""
    with app.app_context():
        ended = update(IntegrationJob).values(ends_at=now() - timedelta(seconds=1))
        db.session.execute(ended.where(IntegrationJob.job_id == started))
        db.session.commit()
    return started


def test_after_ten_minutes_it_has_timed_out_for_good(vendor, late, look):
    for _ in range(2):
        answer = look(late)
        assert (answer.status_code, answer.json["error"]) == (504, "upstream_timeout")


CANCELLED = {**QUEUED, "status": "cancelled", "costDollars": {"total": 0.04}}


def test_after_its_time_a_run_is_cancelled_once_and_costs_what_exa_reports(
    vendor, late, look, credits_of
):
    vendor.says(QUEUED, CANCELLED)
    before = credits_of()
    assert [look(late).json["error"] for _ in range(2)] == ["upstream_timeout"] * 2
    path = f"/agent/runs/{QUEUED['id']}"
    polls = [(asked.method, asked.target) for asked in vendor.seen[1:]]
    assert polls == [("GET", path), ("POST", f"{path}/cancel"), ("GET", path)]
    assert credits_of() - before == pytest.approx(50 - 2)


def test_a_run_that_ends_just_before_it_is_cancelled_is_done(vendor, late, look, credits_of):
    vendor.says(QUEUED, RUN)
    before = credits_of()
    assert look(late).json["data"]["result"]["report"].startswith("Large language models")
    assert credits_of() - before == pytest.approx(50 - 5)


@pytest.mark.parametrize(
    "end",
    [
        [refusal(500), {**QUEUED, "costDollars": {"total": 0.01}}],  # it goes on
        [CANCELLED, refusal(500)],  # nobody knows what it has cost
        [{**CANCELLED, "costDollars": None}],
        # it runs until the cancellation takes effect, and what it costs is not known until then
        [{}, {**QUEUED, "status": "running", "costDollars": {"total": 0}}],
    ],
)
def test_without_a_report_of_its_end_a_run_is_paid_in_full(vendor, late, look, credits_of, end):
    vendor.says(QUEUED, *end)
    before = credits_of()
    assert look(late).json["error"] == "upstream_timeout"
    assert credits_of() == before


def test_a_run_that_was_refused_its_end_because_it_had_failed_costs_what_it_reports(
    vendor, late, look, credits_of
):
    vendor.says(QUEUED, refusal(409), {**CANCELLED, "status": "failed"})
    before = credits_of()
    assert look(late).json["error"] == "upstream_timeout"
    assert credits_of() - before == pytest.approx(50 - 2)


def test_a_run_is_charged_in_full_although_exa_reports_a_cost_at_its_start(
    alice, ask, vendor, credits_of
):
    before = credits_of()
    vendor.says({**QUEUED, "costDollars": {"total": 0}})
    assert ask("neuralsearch-research", {"query": "a"}).json["data"]["status"] == "running"
    assert before - credits_of() == 50


def test_a_run_has_ten_minutes(app, started):
    with app.app_context():
        ends = db.session.query(IntegrationJob.ends_at).filter_by(job_id=started).scalar()
        db.session.remove()
    assert timedelta(seconds=580) < ends - now() <= timedelta(seconds=600)


def continued(run):
    return {"query": "and then?", "previousRunId": run}


def test_only_a_run_of_ones_own_can_be_continued(alice, bob, ask, vendor, started):
    foreign = bob.post("/api/integrations/neuralsearch-research", continued(QUEUED["id"]))
    absent = ask("neuralsearch-research", continued("agent_run_nobodys"))
    assert (foreign.status_code, foreign.json) == (absent.status_code, absent.json)
    assert (foreign.status_code, list(foreign.json["details"])) == (400, ["previousRunId"])
    assert len(vendor.seen) == 1
    vendor.says({**QUEUED, "id": "agent_run_2"})
    assert ask("neuralsearch-research", continued(QUEUED["id"])).status_code == 200
    assert vendor.seen[-1].json["previousRunId"] == QUEUED["id"]


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_after_its_time_any_end_but_a_report_is_out_of_time(vendor, late, look, credits_of, state):
    vendor.says({**CANCELLED, "status": state})
    before = credits_of()
    assert [look(late).json["error"] for _ in range(2)] == ["upstream_timeout"] * 2
    assert [asked.method for asked in vendor.seen[1:]] == ["GET"]
    assert credits_of() - before == pytest.approx(50 - 2)


def late_polls(vendor, late, look, second):
    """The answers to three polls of a late job. The second one sees `second`, and comes between
    the first one's cancellation and its last look."""
    answers = []

    def cancelled(_asked):
        vendor.says(Said(second))
        answers.append(look(late))
        vendor.says(Said(CANCELLED))
        return Said(CANCELLED)

    vendor.says(lambda asked: cancelled(asked) if asked.method == "POST" else Said(QUEUED))
    answers.append(look(late))
    return [*answers, look(late)]


def test_two_late_polls_at_once_agree_that_it_is_out_of_time(vendor, late, look, credits_of):
    before = credits_of()
    answers = late_polls(vendor, late, look, CANCELLED)
    assert [answer.status_code for answer in answers] == [504] * 3
    assert credits_of() - before == pytest.approx(50 - 2)


def test_two_late_polls_at_once_agree_on_a_report_that_came_in_between(vendor, late, look):
    answers = late_polls(vendor, late, look, RUN)
    assert [answer.json["data"]["status"] for answer in answers] == ["done"] * 3
