"""Pages, sites and searches over Firecrawl's API."""

import json
from datetime import timedelta

import pytest
from sqlalchemy import update

from service.extensions import db
from service.integrations.declare.example import File
from service.integrations.models import IntegrationJob
from service.times import now
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

URL = "https://example.com/"
ELSEWHERE = "https://elsewhere.example/v2/crawl/a?skip=1"
STARTED = {"success": True, "id": "5d1f2e8a-6a36-4b8f-9c40-0a3f8f2b7c11"}


def example_answer(name):
    return json.loads(File(f"firecrawl/{name}.json").content())


PAGE, FIRST, REST, SEARCH = map(example_answer, ("page", "crawl", "crawl_rest", "search"))


def refusal(status, code=None, error="a text of Firecrawl", **headers):
    body = {"success": False, "error": error, **({"code": code} if code else {})}
    return Said(body, status, headers)


@pytest.fixture
def crawl(ask, vendor):
    """Starts a crawl; returns its job's id."""

    def starting(**parameters):
        vendor.says(STARTED)
        return ask("crawl-crawl", {"url": URL, "wait": 0, **parameters}).json["data"]["jobId"]

    return starting


INSIDE = [
    "http://localhost:3002/",
    "http://127.0.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "https://[::1]/",
    "http://vault.internal/",
    "http://LOCALHOST./",
    "http://localhost.localdomain/",
    "http://kubernetes.default.svc/",
    "http://router.home/",
    "http://nas.lan/",
    "http://wiki.corp./",
    "http://wiki.intranet/",
    "http://wiki.private/",
]
# Addresses of loopback and of link-local metadata, as only browsers read them, and a name inside.
AS_BROWSERS_READ = [
    "http://127.0.01/",
    "http://127.0.0.0x1/",
    "http://0177.0.0.01/",
    "http://0x7f.0x01/",
    "http://169.254.43518/",
    "http://0251.0376.0251.0376/latest/meta-data/",
    "http://user:pass@127.0.01:8080/",
    "http://１２７.0.0.１/",
    "http://127。0。0。01/",
    "http://127.0.0.\u20641/",
    "http://127.0.0.1\u00ad/",
    "http://127.0.0.1\u180f/",
    "http://vault.ｉnternal/",
    "http://vault.inter\u00adnal/",
    "http://vault.internal。/",
    "https://192.0.0.192/opc/v1/instance/",
    "https://[fec0::1]/",
]
NOWHERE = ["https://example.com:99999/", "https://example.com:0/"]
OUTSIDE = [
    "https://chät.example.com/",
    "https://straße.example.com/a?b=http://127.0.0.1/",
    "http://93.184.215.14:8080/",
    "https://例え.テスト.example/",
    "https://[2606:4700::1111]/",
    "https://1and1.example/",
    "https://0x.example.org/",
    "https://example.com./",
    "https://lan.example.com/",
    "https://corp.example/",
]
LOADING = [
    ("crawl-scrape", "url"),
    ("crawl-map", "url"),
    ("crawl-crawl", "url"),
    ("neuralsearch-find-similar", "url"),
    ("neuralsearch-contents", "urls"),
]


@pytest.mark.parametrize(("endpoint", "name"), LOADING)
def test_no_vendor_is_told_to_load_an_address_inside_a_network(ask, vendor, endpoint, name):
    """The vendor may be the operator's own Firecrawl, beside the service."""
    for url in (*INSIDE, *AS_BROWSERS_READ, *NOWHERE):
        refused = ask(endpoint, {name: [url] if name == "urls" else url})
        assert (refused.status_code, refused.json["error"]) == (400, "invalid_request"), url
        assert name in refused.json["details"]
    assert vendor.seen == []


def test_an_address_of_the_public_internet_is_passed_on_as_it_was_written(ask, vendor):
    vendor.says(PAGE)
    for url in OUTSIDE:
        assert ask("crawl-scrape", {"url": url}).status_code == 200, url
    assert [asked.json["url"] for asked in vendor.seen] == OUTSIDE


def test_a_page_waits_for_at_most_half_of_its_time(ask, vendor):
    vendor.says(PAGE)
    assert ask("crawl-scrape", {"url": URL, "waitFor": 30_000}).status_code == 200
    for times in ({"waitFor": 30_001}, {"waitFor": 1000, "timeout": 1999}):
        refused = ask("crawl-scrape", {"url": URL, **times})
        assert refused.json["details"] == {"waitFor": ["At most half of `timeout`."]}
    assert len(vendor.seen) == 1


def test_a_delay_of_nothing_is_none(vendor, crawl):
    """Firecrawl's own schema requires a positive number."""
    crawl(delay=0)
    crawl(delay=0.5)
    assert [asked.json.get("delay") for asked in vendor.seen] == [None, 0.5]


REFUSALS = [
    (refusal(200, "SCRAPE_DNS_RESOLUTION_ERROR"), 400, "invalid_request"),
    (refusal(500, "SCRAPE_ALL_ENGINES_FAILED"), 400, "invalid_request"),
    (refusal(408, "SCRAPE_TIMEOUT"), 400, "invalid_request"),
    (refusal(403, "UNSUPPORTED_SITE"), 403, "forbidden"),
    (refusal(403, error="We apologize for the inconvenience but we do not support this site."),
     403, "forbidden"),
    (refusal(403), 502, "upstream_provider_error"),
    (refusal(401), 502, "upstream_provider_error"),
    (refusal(402), 502, "upstream_provider_error"),
    (refusal(408), 400, "invalid_request"),
    (Said({"message": "a text of Firecrawl"}, 408), 502, "upstream_provider_error"),
    (refusal(200), 502, "upstream_provider_error"),
    (refusal(500, "UNKNOWN_ERROR"), 502, "upstream_provider_error"),
    (refusal(429, **{"Retry-After": "17"}), 429, "rate_limited"),
]  # fmt: skip


def test_a_refusal_is_told_in_our_words_and_free(ask, vendor, paid):
    for said, status, error in REFUSALS:
        vendor.seen.clear()
        vendor.says(said)
        answer = ask("crawl-scrape", {"url": URL})
        assert (answer.status_code, answer.json["error"]) == (status, error), said
        assert "a text of Firecrawl" not in answer.text
        assert answer.headers.get("Retry-After") == ("17" if status == 429 else None)
        assert (len(vendor.seen), paid()) == (1, 0)


@pytest.mark.parametrize("said", [{}, {"success": True}, {"success": True, "data": []}])
def test_an_answer_without_data_is_no_search_and_free(ask, vendor, paid, said):
    vendor.says(said)
    for endpoint in ("crawl-search", "search-pdfs"):
        assert ask(endpoint, {"query": "a"}).json["error"] == "upstream_provider_error"
    assert paid() == 0
    vendor.says({"success": True, "data": {}})
    assert ask("search-pdfs", {"query": "a"}).json["data"]["results"] == []
    assert paid() == 0.5


def test_pages_that_cannot_be_read_do_not_close_the_vendor_to_others(ask, vendor):
    vendor.says(refusal(500, "SCRAPE_SITE_ERROR"))
    answers = {ask("crawl-scrape", {"url": URL}).status_code for _ in range(12)}
    assert answers == {400}


@pytest.mark.parametrize(
    ("endpoint", "body", "credits"),
    [
        ("crawl-scrape", {"url": URL}, 10),
        ("crawl-scrape", {"url": URL, "maxPdfPages": 1, "jsonPrompt": "a"}, 5),
        ("crawl-scrape", {"url": "https://www.X.com/a", "maxPdfPages": 1}, 30),
        ("crawl-search", {"query": "a", "limit": 11}, 4),
        ("crawl-search", {"query": "a", "sources": ["web", "news"]}, 4),
        ("crawl-search", {"query": "a", "scrapeFormats": ["html"]}, 52),
        ("search-pdfs", {"query": "a", "includeContent": True, "limit": 1}, 7),
        ("crawl-map", {"url": URL}, 1),
    ],
)
def test_the_most_that_a_call_can_cost_is_held(alice, ask, vendor, paid, endpoint, body, credits):
    held = []

    def look(_asked):
        held.append(alice.get("/api/credits").json["held"])
        return Said({"success": True, "data": {}, "links": []})

    vendor.says(look)
    assert ask(endpoint, body).status_code == 200
    assert held == [pytest.approx(credits * 0.25)]
    assert paid() == credits * 0.25  # where Firecrawl reports nothing


def test_what_firecrawl_reports_is_charged(ask, vendor, paid):
    vendor.says(PAGE)
    ask("crawl-scrape", {"url": URL})
    assert paid() == 5 * 0.25
    vendor.says(SEARCH)
    ask("crawl-search", {"query": "a", "scrapeFormats": ["html"]})
    assert paid() == 7 * 0.25


@pytest.mark.parametrize(
    "host", ["x.com.", "ｘ.com", "www.x。com", "www.x\u00ad.com", "TWITTER.com."]
)
def test_a_page_of_x_costs_what_it_costs_however_its_host_is_written(ask, vendor, paid, host):
    vendor.says({**PAGE, "data": {**PAGE["data"], "metadata": {"creditsUsed": 30}}})
    assert ask("crawl-scrape", {"url": f"https://{host}/a", "maxPdfPages": 1}).status_code == 200
    assert paid() == 30 * 0.25


def test_a_page_is_found_where_the_redirects_end(ask, vendor):
    vendor.says(PAGE, {"success": True, "data": {"markdown": "a"}})
    pages = [ask("crawl-scrape", {"url": URL}).json["data"] for _ in range(2)]
    assert [page["url"] for page in pages] == ["https://example.com/plans", URL]
    assert [page["title"] for page in pages] == ["Example plans", None]


def test_a_crawl_has_all_parts_of_its_result_and_gives_back_what_it_did_not_cost(
    vendor, crawl, look, paid
):
    job = crawl(limit=40)
    assert paid() == 10
    vendor.says({**FIRST, "status": "scraping"}, {**FIRST, "next": ELSEWHERE}, REST)
    assert look(job).json["data"]["status"] == "running"
    result = look(job).json["data"]["result"]
    assert [page["title"] for page in result["pages"]] == ["Prices", "The small plan"]
    assert (result["total"], result["isTruncated"]) == (2, False)
    polls = [asked.target for asked in vendor.seen[1:]]
    path = f"/crawl/{STARTED['id']}"
    assert polls == [path, path, f"{path}?skip=1"]  # at the configured address, not elsewhere
    assert paid() == 0.5


def test_a_crawl_of_x_costs_what_its_pages_cost(vendor, crawl, look, paid):
    job = crawl(url="https://www.x.com/a", limit=4)
    assert paid() == 4 * 30 * 0.25
    vendor.says({**FIRST, "creditsUsed": 90})
    assert look(job).json["data"]["status"] == "done"
    assert paid() == 90 * 0.25


def test_a_result_that_is_too_long_is_cut_and_says_so(vendor, crawl, look):
    job = crawl()
    vendor.says(FIRST)
    result = look(job).json["data"]["result"]
    assert (len(result["pages"]), result["isTruncated"]) == (3, True)


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_crawl_that_fails_costs_what_was_read(vendor, crawl, look, paid, state):
    job = crawl()
    vendor.says({"status": state, "creditsUsed": 3, "data": []})
    assert look(job).json["error"] == "upstream_provider_error"
    assert paid() == 3 * 0.25


def test_a_crawl_that_has_had_its_time_is_cancelled_and_costs_what_was_read(
    app, vendor, crawl, look, paid
):
    job = crawl(limit=40)
    with app.app_context():
        late = update(IntegrationJob).values(ends_at=now() - timedelta(seconds=1))
        db.session.execute(late.where(IntegrationJob.job_id == job))
        db.session.commit()
    scraping = {**FIRST, "status": "scraping", "creditsUsed": 1}
    vendor.says(scraping, {"status": "cancelled"}, {**scraping, "creditsUsed": 3})
    assert [look(job).status_code for _ in range(2)] == [504] * 2
    assert [asked.method for asked in vendor.seen[1:]] == ["GET", "DELETE", "GET"]
    assert vendor.seen[2].target == f"/crawl/{STARTED['id']}"
    assert paid() == 3 * 0.25


@pytest.mark.parametrize("following", [5, "https://[", "https://a.example/", "/v2/crawl/a?skip=x"])
def test_a_next_part_that_cannot_be_asked_for_is_the_upstreams_failure(
    vendor, crawl, look, following
):
    job = crawl()
    vendor.says({**FIRST, "next": following})
    assert look(job).status_code == 502
    vendor.says({**FIRST, "next": None})
    assert look(job).json["data"]["status"] == "done"
