"""Searches of the web, of its PDFs, and of scientific papers."""

from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.declare.endpoint import PAID_READ, READ, Endpoint
from service.integrations.declare.example import File, example
from service.integrations.declare.fields import (
    Choice,
    Count,
    Day,
    Parameters,
    Several,
    Switch,
    Words,
)
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_object
from service.integrations.declare.request import get, post
from service.integrations.declare.shape import (
    Each,
    Int,
    Made,
    Maybe,
    Num,
    Raw,
    Readable,
    Shape,
    Str,
    Values,
)
from service.integrations.vendors.firecrawl.meters import SEARCHED_PDF_PAGES, SEARCHES
from service.integrations.vendors.firecrawl.parameters import as_objects, domains, pdf
from service.integrations.vendors.firecrawl.vendor import DOCS, FIRECRAWL

PERIODS = {"hour": "qdr:h", "day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}

QUERY = Shape(query=Made("", lambda answer, values: values["query"]))
RESULT = Shape(
    url="url", title=Maybe("title"), snippet=Maybe("description"), markdown=Maybe("markdown"),
    category=Maybe("category"),
)  # fmt: skip
PAGE = Shape(
    RESULT, html=Maybe("html"), links=Maybe(Readable("links")), summary=Maybe("summary"),
)  # fmt: skip
IMAGE = Shape(
    imageUrl="imageUrl", title=Maybe("title"), pageUrl=Maybe("url"),
    width=Maybe(Int("imageWidth")), height=Maybe(Int("imageHeight")),
)  # fmt: skip
NEWS = Shape(
    url="url", title=Maybe("title"), snippet=Maybe("snippet"),
    date=Maybe(Str("date", about="As the source says, such as `2 days ago`.")),
    imageUrl=Maybe("imageUrl"), markdown=Maybe("markdown"),
)  # fmt: skip


def _results(kind: str, of: Shape) -> Made:
    """Read the results of a kind. Firecrawl leaves them out if it has none, but not `data`."""
    found = Readable(f"data.{kind}", of, default=())

    def read(answer: Any, values: Values) -> list[Any] | None:
        as_object(find(answer, "data"))
        return found.read(answer, values)

    return Made(found, read)


CREDITS = Shape(creditsUsed=Maybe(Int("creditsUsed")))


def _scraped(names: list[str]) -> dict[str, Any]:
    """Return the options for reading each result."""
    options = {"formats": as_objects(names), "parsers": pdf(SEARCHED_PDF_PAGES)}
    return {**options, "skipTlsVerification": False}


class Query(Parameters):
    query = Words("What to search for.", most=500, to="json.query", required=True)
    limit = Count(
        "Number of results of each source.", least=1, most=100, to="json.limit", default=10
    )
    includeDomains = domains("Only pages of these domains.", "json.includeDomains")
    excludeDomains = domains(
        "No pages of these domains; not together with `includeDomains`.", "json.excludeDomains"
    )
    timeRange = Choice(
        *PERIODS, about="Only pages of the last hour, day, week, month or year.",
        to="json.tbs", theirs=PERIODS,
    )  # fmt: skip
    country = Words(
        "The country to search from, in two letters.",
        pattern="^[A-Za-z]{2}$", to="json.country", theirs=str.upper, default="US",
    )  # fmt: skip

    @validates_schema
    def check_domains(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "includeDomains" in data and "excludeDomains" in data:
            raise ValidationError("Not together with includeDomains.", "excludeDomains")


class WebQuery(Query):
    sources = Several(
        Choice("web", "images", "news"), "Where to search.",
        least=1, most=3, to="json.sources", theirs=as_objects, default=["web"],
    )  # fmt: skip
    categories = Several(
        Choice("github", "research", "pdf"), "Only pages of these kinds.",
        least=1, most=3, to="json.categories", theirs=as_objects,
    )  # fmt: skip
    location = Words("The place to search from, such as `Berlin,Germany`.",
                     most=200, to="json.location")  # fmt: skip
    scrapeFormats = Several(
        Choice("markdown", "html", "links", "summary"),
        "Read each result, and return this of it; every page costs.",
        least=1, most=4, to="json.scrapeOptions", theirs=_scraped,
    )  # fmt: skip
    timeout = Count(
        "Milliseconds until the search is given up.",
        least=1000, most=100_000, to="json.timeout", default=60_000,
    )  # fmt: skip


search = Endpoint(
    name="crawl-search", vendor=FIRECRAWL, category="search", access=PAID_READ,
    summary="Web search, on request with the content of each result.",
    docs=f"{DOCS}/search", meter=SEARCHES, seconds=120,
    takes=WebQuery, asks=post("/search", limit=32 << 20),
    gives=Shape(
        QUERY, CREDITS, results=_results("web", PAGE), images=_results("images", IMAGE),
        news=_results("news", NEWS),
    ),
    examples=(example(
        {"query": "plans", "sources": ["web", "images", "news"], "categories": ["github", "pdf"],
         "includeDomains": ["example.com"], "timeRange": "week", "location": "Berlin,Germany",
         "scrapeFormats": ["markdown", "html", "links", "summary"]},
        "POST /search", File("firecrawl/search.json"),
        body={
            "query": "plans", "limit": 10, "country": "US", "location": "Berlin,Germany",
            "sources": [{"type": "web"}, {"type": "images"}, {"type": "news"}],
            "categories": [{"type": "github"}, {"type": "pdf"}], "tbs": "qdr:w",
            "includeDomains": ["example.com"], "timeout": 60_000,
            "scrapeOptions": {
                "formats": [{"type": "markdown"}, {"type": "html"}, {"type": "links"},
                            {"type": "summary"}],
                "parsers": [{"type": "pdf", "maxPages": 5}], "skipTlsVerification": False,
            },
        },
    ), example(
        {"query": "plans", "excludeDomains": ["example.org"]},
        "POST /search", File("firecrawl/search.json"),
        body={
            "query": "plans", "limit": 10, "country": "US", "sources": [{"type": "web"}],
            "excludeDomains": ["example.org"], "timeout": 60_000,
        },
    )),
)  # fmt: skip


class PdfQuery(Query):
    includeContent = Switch(
        "Return the text of each PDF as well; every page costs.",
        to="json.scrapeOptions", default=False,
        theirs=lambda wanted: _scraped(["markdown"]) if wanted else None,
    )  # fmt: skip


pdfs = Endpoint(
    name="search-pdfs", vendor=FIRECRAWL, category="search", access=PAID_READ,
    summary="Search for PDF documents.",
    docs=f"{DOCS}/search", meter=SEARCHES, seconds=90,
    takes=PdfQuery,
    asks=post(
        "/search", json={"sources": [{"type": "web"}], "categories": [{"type": "pdf"}]},
        limit=32 << 20,
    ),
    gives=Shape(QUERY, CREDITS, results=_results("web", RESULT)),
    examples=(example(
        {"query": "plans", "includeDomains": ["example.com"], "timeRange": "year",
         "includeContent": True},
        "POST /search", File("firecrawl/search.json"),
        body={
            "query": "plans", "limit": 10, "country": "US", "sources": [{"type": "web"}],
            "categories": [{"type": "pdf"}], "includeDomains": ["example.com"], "tbs": "qdr:y",
            "scrapeOptions": {
                "formats": [{"type": "markdown"}], "parsers": [{"type": "pdf", "maxPages": 5}],
                "skipTlsVerification": False,
            },
        },
    ), example(
        {"query": "plans", "excludeDomains": ["example.org"]},
        "POST /search", File("firecrawl/search.json"),
        body={
            "query": "plans", "limit": 10, "country": "US", "sources": [{"type": "web"}],
            "categories": [{"type": "pdf"}], "excludeDomains": ["example.org"],
        },
    )),
)  # fmt: skip


class PaperQuery(Parameters):
    query = Words("What to search for.", most=2000, to="query.query", required=True)
    limit = Count("Number of papers.", least=1, most=500, to="query.k", default=20)
    authors = Several(
        Words(least=1, most=200, pattern="^[^,]*$"), "Parts of names: all must be authors.",
        least=1, most=20, joined=",", to="query.authors",
    )  # fmt: skip
    categories = Several(
        Words(least=1, most=100, pattern="^[^,]*$"), "Categories such as `cs.LG`: all must fit.",
        least=1, most=20, joined=",", to="query.categories",
    )  # fmt: skip
    fromDate = Day("The earliest day of the paper.", to="query.from")
    toDate = Day("The latest day of the paper.", to="query.to")


PAPER = Shape(
    id="primaryId", title="title", abstract=Maybe("abstract"), score=Maybe(Num("score")),
    ids=Maybe(Raw("ids")),
)  # fmt: skip

academic = Endpoint(
    name="search-academic", vendor=FIRECRAWL, category="search", access=READ,
    summary="Search scientific papers of arXiv, PubMed, bioRxiv and medRxiv.",
    docs=f"{DOCS}/research-search-papers",
    takes=PaperQuery, asks=get("/search/research/papers"),
    gives=Shape(QUERY, results=Each("results", PAPER)),
    examples=(example(
        {"query": "diffusion models", "authors": ["Dhariwal", "Nichol"], "categories": ["cs.LG"],
         "fromDate": "2021-01-01", "toDate": "2021-12-31"},
        "GET /search/research/papers?query=diffusion%20models&k=20&authors=Dhariwal%2CNichol"
        "&categories=cs.LG&from=2021-01-01&to=2021-12-31",
        {"success": True, "results": [{
            "paperId": "2014215642691656232", "primaryId": "arxiv:2105.05233",
            "ids": {"arxiv": ["2105.05233"]}, "score": 0.0163934,
            "title": "Diffusion Models Beat GANs on Image Synthesis",
            "abstract": "We show that diffusion models can achieve superior image quality.",
        }]},
    ),),
)  # fmt: skip

ENDPOINTS = (search, pdfs, academic)
