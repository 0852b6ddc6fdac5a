"""Search by meaning, pages that are similar to a page, and the contents of pages."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from marshmallow import ValidationError, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import PAID_READ, Endpoint
from service.integrations.declare.example import File, example
from service.integrations.declare.fields import (
    Choice,
    Count,
    Moment,
    Parameters,
    Several,
    Switch,
    WebAddress,
    Words,
)
from service.integrations.declare.request import Outgoing, post
from service.integrations.declare.shape import Each, Made, Maybe, Shape
from service.integrations.vendors.exa.meters import CONTENTS, SEARCHES
from service.integrations.vendors.exa.vendor import DOCS, EXA, REQUEST

UNFILTERED = ("company", "people")  # these categories refuse dates and excluded domains
MOST_PAGES = 100  # of one request, including subpages, each of which is billed
MOST_DOMAINS = 1200

PAGE = Shape(
    url="url", id=Maybe("id"), title=Maybe("title"), publishedDate=Maybe("publishedDate"),
    author=Maybe("author"), image=Maybe("image"), favicon=Maybe("favicon"), text=Maybe("text"),
    highlights=Each("highlights", default=None), summary=Maybe("summary"),
)  # fmt: skip
PAGES = Shape(REQUEST, results=Each("results", PAGE))
SIMILAR = Shape(PAGES, sourceUrl=Made("", lambda answer, values: values["url"]))
STATUS = Shape(url="id", status=Maybe("status"), error=Maybe("error.tag"))
CONTENTS_ANSWER = Shape(PAGES, statuses=Each("statuses", STATUS, default=()))


def _is_linkedin(domain: str) -> bool:
    """Return whether a domain, which may have a path, belongs to LinkedIn."""
    return f".{domain.lower().partition('/')[0]}".endswith(".linkedin.com")


class Filters(Parameters):
    """The filters of a search, and the contents to return of each page."""

    numResults = Count("Number of results.", least=1, most=100, to="json.numResults", default=10)
    category = Choice(
        "company", "research paper", "publication", "news", "personal site", "financial report",
        "people", about="Only pages of this kind.", to="json.category",
    )  # fmt: skip
    includeDomains = Several(
        Words(least=1, most=253),
        "Only pages of these domains. With the category `people`, only domains of LinkedIn are "
        "accepted.", least=1, most=MOST_DOMAINS, to="json.includeDomains",
    )  # fmt: skip
    excludeDomains = Several(
        Words(least=1, most=253), "No pages of these domains; not for companies and people.",
        least=1, most=MOST_DOMAINS, to="json.excludeDomains",
    )  # fmt: skip
    startPublishedDate = Moment("Only pages published after it.", to="json.startPublishedDate")
    endPublishedDate = Moment("Only pages published before it.", to="json.endPublishedDate")
    text = Switch("Return the text of each page.", to="json.contents.text", default=False)
    highlights = Switch(
        "Return the passages of each page that match best.",
        to="json.contents.highlights", default=True,
    )  # fmt: skip
    summaryQuery = Words(
        "Return a summary of each page that answers this.", most=2000,
        to="json.contents.summary.query",
    )  # fmt: skip
    maxAgeHours = Count(
        "Load a page anew if Exa's copy is older; 0 is always, -1 never.", least=-1, most=720,
        to="json.contents.maxAgeHours",
    )  # fmt: skip

    @validates_schema
    def check_category(self, data: dict[str, Any], **kwargs: Any) -> None:
        filters = ("excludeDomains", "startPublishedDate", "endPublishedDate")
        refused = [name for name in filters if name in data and data.get("category") in UNFILTERED]
        if refused:
            raise ValidationError(dict.fromkeys(refused, ["Not together with this category."]))
        domains = data.get("includeDomains", ())
        if data.get("category") == "people" and not all(map(_is_linkedin, domains)):
            reason = "With this category, only domains of LinkedIn are accepted."
            raise ValidationError(reason, "includeDomains")


class Search(Filters):
    query = Words("What to search for.", most=5000, to="json.query", required=True)
    type = Choice(
        "instant", "fast", "auto", "deep-lite", "deep", "deep-reasoning",
        about="How much effort to spend, from the fastest to the best.",
        to="json.type", default="auto",
    )  # fmt: skip
    userLocation = Words(
        "The country of the user, in two letters.", pattern="^[A-Za-z]{2}$", to="json.userLocation"
    )
    moderation = Switch("Leave out unsafe pages.", to="json.moderation", default=False)


search = Endpoint(
    name="neuralsearch-search", vendor=EXA, category="search", access=PAID_READ,
    summary="Web search by meaning.",
    docs=f"{DOCS}/search", meter=SEARCHES,
    takes=Search, asks=post("/search"), gives=PAGES,
    examples=(example(
        {"query": "overviews of language models", "category": "publication", "text": True,
         "startPublishedDate": "2023-01-01T00:00+01:00", "endPublishedDate": "2024-01-01T00:00Z",
         "includeDomains": ["arxiv.org"], "excludeDomains": ["example.org"], "maxAgeHours": 24,
         "summaryQuery": "What does it cover?", "userLocation": "DE"},
        "POST /search", File("exa/search.json"),
        body={
            "query": "overviews of language models", "type": "auto", "numResults": 10,
            "category": "publication", "startPublishedDate": "2022-12-31T23:00:00Z",
            "endPublishedDate": "2024-01-01T00:00:00Z", "includeDomains": ["arxiv.org"],
            "excludeDomains": ["example.org"], "userLocation": "DE", "moderation": False,
            "contents": {
                "text": True, "highlights": True, "summary": {"query": "What does it cover?"},
                "maxAgeHours": 24,
            },
        },
    ),),
)  # fmt: skip


class Similar(Filters):
    url = WebAddress(
        "The page to compare with.", to="json.query", theirs="pages similar to {}".format,
        required=True,
    )  # fmt: skip
    excludeSourceDomain = Switch("Leave out pages of the same domain.", default=True)


def _similar(
    call: Call,
    request: Outgoing,
    *,
    url: str,
    exclude_source_domain: bool,
    category: str | None = None,
    exclude_domains: Sequence[str] = (),
    include_domains: Sequence[str] = (),
) -> dict[str, Any]:
    """Ask without the page's own domain, and leave its pages out of the answer.

    The API's description lets a request have both lists of domains, and Exa's own client says that
    they exclude each other. So we add none of ours to a list of domains to include.
    """
    own = _host(url) if exclude_source_domain else ""
    if own and category not in UNFILTERED and not include_domains:
        domains = [*exclude_domains[: MOST_DOMAINS - 1], own]
        request = request.plus(json={"excludeDomains": domains})
    pages = SIMILAR.read(call.send(request), {"url": url})
    others = [page for page in pages["results"] if not own or _host(page["url"]) != own]
    return {**pages, "results": others}


def _host(url: str) -> str:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return ""  # Exa may have a page at an address that is not valid
    return (host or "").removeprefix("www.")


similar = Endpoint(
    name="neuralsearch-find-similar", vendor=EXA, category="search", access=PAID_READ,
    summary="Pages that are similar to a given page.",
    docs=f"{DOCS}/search", meter=SEARCHES,
    takes=Similar, asks=post("/search"), run=_similar, gives=SIMILAR,
    examples=(example(
        {"url": "https://www.example.com/a", "excludeDomains": ["example.org"], "numResults": 5,
         "category": "news", "includeDomains": ["arxiv.org"], "maxAgeHours": -1,
         "startPublishedDate": "2023-01-01T00:00Z", "endPublishedDate": "2024-01-01T00:00Z",
         "summaryQuery": "What does it cover?"},
        "POST /search", File("exa/search.json"),
        body={
            "query": "pages similar to https://www.example.com/a", "numResults": 5,
            "excludeDomains": ["example.org"], "category": "news",
            "includeDomains": ["arxiv.org"], "startPublishedDate": "2023-01-01T00:00:00Z",
            "endPublishedDate": "2024-01-01T00:00:00Z",
            "contents": {
                "text": False, "highlights": True, "summary": {"query": "What does it cover?"},
                "maxAgeHours": -1,
            },
        },
    ),),
)  # fmt: skip


class Contents(Parameters):
    urls = Several(
        WebAddress(), "The pages to read.", least=1, most=100, to="json.urls", required=True
    )
    text = Switch("Return the text of each page.", to="json.text", default=True)
    maxCharacters = Count("Cut each text to this length.", least=1, most=10_000)
    highlightsQuery = Words(
        "Return the passages of each page that match this.", most=2000, to="json.highlights.query"
    )
    summaryQuery = Words(
        "Return a summary of each page that answers this.", most=2000, to="json.summary.query"
    )
    maxAgeHours = Count(
        "Load a page anew if Exa's copy is older; 0 is always, -1 never.", least=-1, most=720,
        to="json.maxAgeHours",
    )  # fmt: skip
    subpages = Count(
        "Pages to read as well that each page links to.", least=0, most=99,
        to="json.subpages", default=0,
    )  # fmt: skip
    subpageTarget = Words("What those are about.", most=200, to="json.subpageTarget")

    @validates_schema
    def check_pages(self, data: dict[str, Any], **kwargs: Any) -> None:
        if len(data["urls"]) * (1 + data["subpages"]) > MOST_PAGES:
            raise ValidationError(f"At most {MOST_PAGES} pages, subpages included.", "subpages")


def _contents(
    call: Call, request: Outgoing, *, text: bool, max_characters: int | None = None
) -> dict[str, Any]:
    if text and max_characters:
        request = request.plus(json={"text": {"maxCharacters": max_characters}})
    return CONTENTS_ANSWER.read(call.send(request))


contents = Endpoint(
    name="neuralsearch-contents", vendor=EXA, category="search", access=PAID_READ,
    summary="The readable contents of pages. `statuses` names those that can't be read.",
    docs=f"{DOCS}/get-contents", meter=CONTENTS,
    takes=Contents, asks=post("/contents"), run=_contents, gives=CONTENTS_ANSWER,
    examples=(example(
        {"urls": ["https://arxiv.org/abs/2307.06435", "https://example.com/lost"],
         "maxCharacters": 500, "highlightsQuery": "adoption", "summaryQuery": "What is covered?",
         "maxAgeHours": 24, "subpages": 1, "subpageTarget": "references"},
        "POST /contents", File("exa/contents.json"),
        body={
            "urls": ["https://arxiv.org/abs/2307.06435", "https://example.com/lost"],
            "text": {"maxCharacters": 500}, "highlights": {"query": "adoption"},
            "summary": {"query": "What is covered?"}, "maxAgeHours": 24, "subpages": 1,
            "subpageTarget": "references",
        },
    ),),
)  # fmt: skip

ENDPOINTS = (search, similar, contents)
