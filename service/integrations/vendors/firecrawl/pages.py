"""The content of one page, and the addresses of a site's pages."""

from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import PAID_READ, Endpoint
from service.integrations.declare.example import File, example
from service.integrations.declare.fields import (
    Choice,
    Count,
    Parameters,
    Switch,
    Values,
    WebAddress,
    Words,
)
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_object, unusable
from service.integrations.declare.request import Outgoing, post
from service.integrations.declare.shape import Each, Int, Made, Maybe, Raw, Readable, Shape, Str
from service.integrations.vendors.firecrawl.meters import SCRAPES
from service.integrations.vendors.firecrawl.parameters import NAMES, format_list, pdf_pages, tags
from service.integrations.vendors.firecrawl.vendor import DOCS, FIRECRAWL

YEAR = 365 * 24 * 3600 * 1000  # milliseconds
LONGEST = 300_000  # milliseconds: Firecrawl accepts no longer `timeout`
SCHEMA = {"type": "object", "properties": {"price": {"type": "string"}}}


def first_text(path: str) -> Made:
    """Read a text of a page's metadata, the first one if there are several."""

    def read(item: Any, values: Any) -> str | None:
        value = find(item, path)
        first = value[0] if isinstance(value, list) and value else value
        return first if isinstance(first, str) else None

    return Made(Maybe(""), read)


def _url(answer: Any, values: Any) -> str:
    """Return the final address of the page."""
    url = find(answer, "data.metadata.url")
    return url if isinstance(url, str) else values["url"]


PAGE = Shape(
    url=Made("", _url), title=first_text("data.metadata.title"),
    description=first_text("data.metadata.description"),
    statusCode=Maybe(Int("data.metadata.statusCode")), markdown=Maybe("data.markdown"),
    html=Maybe("data.html"), rawHtml=Maybe("data.rawHtml"), summary=Maybe("data.summary"),
    links=Maybe(Readable("data.links")), images=Maybe(Readable("data.images")),
    screenshotUrl=Maybe(Str("data.screenshot", about="Firecrawl keeps it for 24 hours.")),
    json=Maybe(Raw("data.json")), metadata=Maybe(Raw("data.metadata")),
    warning=Maybe("data.warning"),
    creditsUsed=Maybe(Int("data.metadata.creditsUsed")),
)  # fmt: skip


class Page(Parameters):
    url = WebAddress("The page to read.", to="json.url", required=True)
    formats = format_list(*NAMES, "images", "screenshot", to="json.formats")
    jsonSchema = Values(
        "The JSON Schema of data that a model reads from the page, returned in `json`."
    )
    jsonPrompt = Words("What the model reads from the page for `json`.", most=10_000)
    onlyMainContent = Switch(
        "Leave out headers, menus and footers.", to="json.onlyMainContent", default=True
    )
    includeTags = tags("Only elements that fit one of these selectors.", "json.includeTags")
    excludeTags = tags("No elements that fit one of these selectors.", "json.excludeTags")
    waitFor = Count(
        "Milliseconds to wait for the page's scripts, at most half of `timeout`.",
        least=0, most=60_000, to="json.waitFor", default=0,
    )  # fmt: skip
    timeout = Count(
        "Milliseconds until the page is given up.",
        least=1000, most=LONGEST, to="json.timeout", default=60_000,
    )  # fmt: skip
    mobile = Switch("Load the page as a phone does.", to="json.mobile", default=False)
    maxAge = Count(
        "Load the page anew if the stored copy is older, in milliseconds.",
        least=0, most=YEAR, to="json.maxAge", default=172_800_000,
    )  # fmt: skip
    country = Words(
        "The country to load the page from, in two letters.",
        pattern="^[A-Za-z]{2}$", to="json.location.country", theirs=str.upper,
    )  # fmt: skip
    maxPdfPages = pdf_pages("json.parsers", 10)

    @validates_schema
    def check_wait(self, data: dict[str, Any], **kwargs: Any) -> None:
        if data["waitFor"] > data["timeout"] / 2:
            raise ValidationError("At most half of `timeout`.", "waitFor")


def _scrape(
    call: Call,
    request: Outgoing,
    *,
    url: str,
    json_schema: dict[str, Any] | None = None,
    json_prompt: str | None = None,
) -> dict[str, Any]:
    if json_schema is not None or json_prompt is not None:
        wanted = {"schema": json_schema, "prompt": json_prompt}
        extraction = {name: value for name, value in wanted.items() if value is not None}
        formats = [*request.json["formats"], {"type": "json", **extraction}]
        request = request.plus(json={"formats": formats})
    answer = call.send(request)
    as_object(find(answer, "data"))
    return PAGE.read(answer, {"url": url})


scrape = Endpoint(
    name="crawl-scrape", vendor=FIRECRAWL, category="search", access=PAID_READ,
    summary="One page as Markdown, HTML, links, a screenshot, or data of a schema.",
    docs=f"{DOCS}/scrape", meter=SCRAPES, seconds=LONGEST / 1000 + 15,
    takes=Page, asks=post("/scrape", json={"skipTlsVerification": False}, limit=32 << 20),
    run=_scrape, gives=PAGE,
    examples=(example(
        {"url": "https://example.com/", "formats": [*NAMES, "images", "screenshot"],
         "jsonSchema": SCHEMA, "jsonPrompt": "What does it cost?", "includeTags": ["main"],
         "excludeTags": [".ad"], "country": "de", "waitFor": 500, "timeout": 120_000},
        "POST /scrape", File("firecrawl/page.json"),
        body={
            "url": "https://example.com/", "onlyMainContent": True, "includeTags": ["main"],
            "excludeTags": [".ad"], "waitFor": 500, "timeout": 120_000, "mobile": False,
            "maxAge": 172_800_000, "location": {"country": "DE"}, "skipTlsVerification": False,
            "parsers": [{"type": "pdf", "maxPages": 10}],
            "formats": [
                {"type": "markdown"}, {"type": "summary"}, {"type": "html"}, {"type": "rawHtml"},
                {"type": "links"}, {"type": "images"}, {"type": "screenshot"},
                {"type": "json", "schema": SCHEMA, "prompt": "What does it cost?"},
            ],
        },
    ),),
)  # fmt: skip


class Site(Parameters):
    url = WebAddress("A page of the site.", to="json.url", required=True)
    search = Words("Put pages about this first.", most=500, to="json.search")
    limit = Count("Number of pages.", least=1, most=100_000, to="json.limit", default=500)
    sitemap = Choice(
        "skip", "include", "only", about="Whether to read the site's sitemap.",
        to="json.sitemap", default="include",
    )  # fmt: skip
    includeSubdomains = Switch(
        "Pages of subdomains as well.", to="json.includeSubdomains", default=True
    )
    ignoreQueryParameters = Switch(
        "Leave out addresses with a query.", to="json.ignoreQueryParameters", default=True
    )
    timeout = Count(
        "Milliseconds until the site is given up.", least=1000, most=100_000, to="json.timeout"
    )


LINK = Shape(url="url", title=Maybe("title"), description=Maybe("description"))
LINKS = Each("links", LINK)


def _count(answer: Any, values: Any) -> int:
    links = find(answer, "links")
    if not isinstance(links, list):
        raise unusable("links")
    return len(links)


site = Endpoint(
    name="crawl-map", vendor=FIRECRAWL, category="search", access=PAID_READ,
    summary="The addresses of a site's pages.",
    docs=f"{DOCS}/map", seconds=120,
    takes=Site, asks=post("/map", limit=32 << 20),
    gives=Shape(
        url=Made("", lambda answer, values: values["url"]), count=Made(Int(""), _count),
        links=LINKS,
    ),
    examples=(example(
        {"url": "https://example.com/", "search": "prices", "timeout": 30_000},
        "POST /map",
        {"success": True, "links": [
            {"url": "https://example.com/prices", "title": "Prices", "description": "All plans."},
        ]},
        body={
            "url": "https://example.com/", "search": "prices", "limit": 500, "sitemap": "include",
            "includeSubdomains": True, "ignoreQueryParameters": True, "timeout": 30_000,
        },
    ),),
)  # fmt: skip

ENDPOINTS = (scrape, site)
