"""The pages of a whole site, in a job."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange, File
from service.integrations.declare.fields import (
    Amount,
    Choice,
    Count,
    Parameters,
    Several,
    Switch,
    WebAddress,
    Words,
)
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_list, as_object, text, unusable
from service.integrations.declare.request import Outgoing, delete, get, post
from service.integrations.declare.shape import Bool, Each, Int, Made, Maybe, Readable, Shape
from service.integrations.declare.task import Job, Task
from service.integrations.vendors.firecrawl.meters import CRAWLS, dollars
from service.integrations.vendors.firecrawl.pages import first_text
from service.integrations.vendors.firecrawl.parameters import NAMES, format_list, pdf_pages
from service.integrations.vendors.firecrawl.vendor import DOCS, FIRECRAWL

ANSWERS = 3  # of 10 MB each: later parts of a crawl are left out
CRAWL = "5d1f2e8a-6a36-4b8f-9c40-0a3f8f2b7c11"

PAGE = Shape(
    url=first_text("metadata.sourceURL"), title=first_text("metadata.title"),
    statusCode=Maybe(Int("metadata.statusCode")), markdown=Maybe("markdown"),
    summary=Maybe("summary"), html=Maybe("html"), rawHtml=Maybe("rawHtml"),
    links=Maybe(Readable("links")),
)  # fmt: skip
PAGES = Shape(
    pages=Each("data", PAGE), total=Maybe(Int("total")), completed=Maybe(Int("completed")),
    creditsUsed=Maybe(Int("creditsUsed")),
    isTruncated=Made(Bool(""), lambda run, values: find(run, "next") is not None),
)  # fmt: skip


class Crawl(Parameters):
    url = WebAddress("Where to begin.", to="json.url", required=True)
    limit = Count(
        "Number of pages; what they do not cost is given back when the job has ended.",
        least=1, most=1000, to="json.limit", default=20,
    )  # fmt: skip
    prompt = Words("Which pages to read, in words.", most=10_000, to="json.prompt")
    includePaths = Several(
        Words(least=1, most=500), "Only paths that fit one of these regular expressions.",
        least=1, most=50, to="json.includePaths",
    )  # fmt: skip
    excludePaths = Several(
        Words(least=1, most=500), "No paths that fit one of these regular expressions.",
        least=1, most=50, to="json.excludePaths",
    )  # fmt: skip
    maxDepth = Count(
        "Links to follow from the first page to another.",
        least=0, most=100, to="json.maxDiscoveryDepth",
    )  # fmt: skip
    sitemap = Choice(
        "skip", "include", "only", about="Whether to read the site's sitemap.",
        to="json.sitemap", default="include",
    )  # fmt: skip
    crawlEntireDomain = Switch(
        "Pages above and beside the first one as well.", to="json.crawlEntireDomain", default=False
    )
    allowExternalLinks = Switch(
        "Pages of other sites as well.", to="json.allowExternalLinks", default=False
    )
    allowSubdomains = Switch(
        "Pages of subdomains as well.", to="json.allowSubdomains", default=False
    )
    delay = Amount(
        "Seconds between two pages.",
        least=0, most=60, to="json.delay", theirs=lambda seconds: seconds or None,
    )  # fmt: skip
    formats = format_list(*NAMES, to="json.scrapeOptions.formats")
    onlyMainContent = Switch(
        "Leave out headers, menus and footers.",
        to="json.scrapeOptions.onlyMainContent", default=True,
    )  # fmt: skip
    maxPdfPages = pdf_pages("json.scrapeOptions.parsers", 1)


def _task(run: Any) -> Task:
    if find(run, "status") is None:  # the answer to the first request
        return Task(text(run, "id"))
    used = PAGES.fields["creditsUsed"].read(as_object(run), {})
    match text(run, "status"):
        case "scraping":
            return Task("", dollars=dollars(used))
        case "completed":
            return Task("", "done", PAGES.read(run), dollars(used))
        case "failed" | "cancelled":
            return Task("", "failed", dollars=dollars(used))
    raise unusable("status")


def _gather(call: Call, request: Outgoing, run: Any) -> Any:
    """Return a finished crawl with the further parts of its result.

    Only `skip` is taken from the address that Firecrawl names for the next part, so that the key is
    sent only to the configured base URL.
    """
    if find(run, "status") != "completed":
        return run
    whole, part = dict(run), run
    whole["data"] = [*as_list(run.get("data"))]
    for _ in range(ANSWERS - 1):
        if not (skip := _skip(part)):
            break
        part = as_object(call.send(request.plus(query={"skip": skip})))
        whole["data"] += as_list(part.get("data"))
    whole["next"] = part.get("next")
    return whole


def _skip(part: Any) -> str | None:
    """Return how many pages the next part leaves out, or None after the last part."""
    if part.get("next") is None:
        return None
    try:
        skip = parse_qs(urlsplit(text(part, "next")).query).get("skip", [""])[0]
    except ValueError:
        raise unusable("next") from None
    if not skip.isdecimal():
        raise unusable("next")
    return skip


crawl = Endpoint(
    name="crawl-crawl", vendor=FIRECRAWL, category="search",
    summary="The pages of a site, which may take many minutes.",
    docs=f"{DOCS}/crawl-post", meter=CRAWLS,
    takes=Crawl, asks=post("/crawl", json={"scrapeOptions": {"skipTlsVerification": False}}),
    job=Job(
        task=_task, poll=get("/crawl/{id}", limit=16 << 20), gather=_gather,
        cancel=delete("/crawl/{id}"), totals=True, wait=60, limit=900, interval=3,
    ),
    gives=PAGES,
    examples=(Example({
        "url": "https://example.com/", "prompt": "The prices", "includePaths": ["prices/.*"],
        "excludePaths": ["blog/.*"], "maxDepth": 2, "delay": 0.5, "formats": NAMES,
    }, (
        Exchange(
            "POST /crawl", {"success": True, "id": CRAWL, "url": f"https://x/crawl/{CRAWL}"},
            body={
                "url": "https://example.com/", "limit": 20, "prompt": "The prices",
                "includePaths": ["prices/.*"], "excludePaths": ["blog/.*"],
                "maxDiscoveryDepth": 2, "sitemap": "include", "crawlEntireDomain": False,
                "allowExternalLinks": False, "allowSubdomains": False, "delay": 0.5,
                "scrapeOptions": {
                    "skipTlsVerification": False, "onlyMainContent": True,
                    "parsers": [{"type": "pdf", "maxPages": 1}],
                    "formats": [{"type": name} for name in NAMES],
                },
            },
        ),
        Exchange(f"GET /crawl/{CRAWL}", File("firecrawl/crawl.json")),
        Exchange(
            f"GET /crawl/{CRAWL}?skip=1", File("firecrawl/crawl_rest.json"),
            when={"query.skip": 1},
        ),
    )),),
)  # fmt: skip

ENDPOINTS = (crawl,)
