"""Searches of pages, images and videos."""

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, missing

from service.integrations.declare.endpoint import READ, Endpoint
from service.integrations.declare.example import example
from service.integrations.declare.fields import Choice, Count, Parameters, Switch, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.request import get
from service.integrations.declare.says import Says
from service.integrations.declare.shape import (
    Bool,
    Each,
    Field,
    Int,
    Made,
    Maybe,
    Readable,
    Shape,
    Str,
    Values,
)
from service.integrations.vendors.brave.vendor import BRAVE, DOCS

MOST_WORDS = 50
# Brave has its own names for some languages, and refuses the usual names.
LANGUAGES = {
    "ja": "jp", "no": "nb", "pt": "pt-br", "zh": "zh-hans", "zh-cn": "zh-hans", "zh-tw": "zh-hant",
}  # fmt: skip


AGE = Str("page_age", about="When the page was made, as Brave knows it, without a zone.")
PAGE = Shape(
    url="url", title=Maybe("title"), snippet=Maybe("description"), date=Maybe(AGE),
    language=Maybe("language"), site=Maybe("meta_url.hostname"), thumbnail=Maybe("thumbnail.src"),
    extraSnippets=Each("extra_snippets", default=()),
)  # fmt: skip
IMAGE = Shape(
    imageUrl=Maybe("properties.url"), title=Maybe("title"), thumbnailUrl=Maybe("thumbnail.src"),
    pageUrl=Maybe("url"), source=Maybe("source"), width=Maybe(Int("properties.width")),
    height=Maybe(Int("properties.height")),
)  # fmt: skip
VIDEO = Shape(
    url="url", title=Maybe("title"), snippet=Maybe("description"), date=Maybe(AGE),
    thumbnailUrl=Maybe("thumbnail.src"),
    duration=Maybe(Str("video.duration", about="Such as `04:31`.")),
    views=Maybe(Int("video.views")), creator=Maybe("video.creator"),
    publisher=Maybe("video.publisher"),
)  # fmt: skip


def _results(kind: str, path: str, of: Field) -> Made:
    """Read a list that Brave leaves out if it has found nothing.

    Then the answer's type or query shows whether the answer comes from Brave.
    """

    def read(answer: Any, values: Values) -> list[Any] | None:
        query = find(answer, "query")
        is_braves = find(answer, "type") == kind or isinstance(query, Mapping)
        return Readable(path, of, default=() if is_braves else missing).read(answer, values)

    return Made(Readable(path, of), read)


def _few_words(query: str) -> None:
    if len(query.split()) > MOST_WORDS:
        raise ValidationError(f"At most {MOST_WORDS} words.")


class WebQuery(Parameters):
    query = Words(
        "What to search for, in at most 50 words; operators such as `site:` are understood.",
        most=400, checks=(_few_words,), to="query.q", required=True,
    )  # fmt: skip
    country = Words(
        "The country that results come from, in two capital letters, or `ALL`. Brave knows about "
        "forty.",
        pattern="^([A-Z]{2}|ALL)$", to="query.country", default="US",
    )  # fmt: skip
    searchLang = Words(
        "The language of the results, such as `en` or `pt-br`.",
        pattern="^[a-z]{2,3}(-[a-z]{2,4})?$", to="query.search_lang", theirs=LANGUAGES,
        default="en",
    )  # fmt: skip


class DatedQuery(WebQuery):
    offset = Count("Pages of results to skip.", least=0, most=9, to="query.offset", default=0)
    safesearch = Choice(
        "off", "moderate", "strict", about="How much adult content to leave out.",
        to="query.safesearch", default="moderate",
    )  # fmt: skip
    freshness = Words(
        "Only what was found in the last day (`pd`), week (`pw`), month (`pm`) or year (`py`), or "
        "between two days (`2026-01-01to2026-01-31`).",
        pattern=r"^(p[dwmy]|\d{4}-\d{2}-\d{2}to\d{4}-\d{2}-\d{2})$", to="query.freshness",
    )  # fmt: skip


class Pages(DatedQuery):
    count = Count("Number of results.", least=1, most=20, to="query.count", default=20)
    extraSnippets = Switch(
        "Return up to five more excerpts of each page, where the plan has them.",
        to="query.extra_snippets",
    )  # fmt: skip


web = Endpoint(
    name="search-web-raw", vendor=BRAVE, category="search", access=READ,
    summary="Ranked results of a web search, without a model.",
    says=Says(
        "Searching the web for “{query}”",
        "Searched the web for “{query}”: {results:result}",
    ),
    docs=f"{DOCS}/web-search/responses",
    takes=Pages,
    asks=get("/web/search", query={"result_filter": "web", "text_decorations": False}),
    gives=Shape(
        query=Maybe("query.original"), more=Maybe(Bool("query.more_results_available")),
        results=_results("search", "web.results", PAGE),
    ),
    examples=(example(
        {"query": "brave search", "count": 1, "offset": 1, "country": "DE", "searchLang": "de",
         "freshness": "pw", "extraSnippets": True},
        "GET /web/search?result_filter=web&text_decorations=false&q=brave+search&count=1&offset=1"
        "&country=DE&search_lang=de&safesearch=moderate&freshness=pw&extra_snippets=true",
        {"type": "search", "query": {"original": "brave search", "more_results_available": True},
         "web": {"type": "search", "results": [{
             "title": "Brave Search", "url": "https://search.brave.com/",
             "description": "Private, independent search.", "page_age": "2026-11-18T09:12:00",
             "age": "November 18, 2026", "language": "en",
             "extra_snippets": ["Brave Search has an index of its own."],
             "thumbnail": {"src": "https://imgs.search.brave.com/a.png"},
             "meta_url": {"scheme": "https", "hostname": "search.brave.com", "path": ""},
         }]}},
    ),),
)  # fmt: skip


class Images(WebQuery):
    count = Count("Number of results.", least=1, most=200, to="query.count", default=50)
    safesearch = Choice(
        "off", "strict", about="Whether to leave out adult content.",
        to="query.safesearch", default="strict",
    )  # fmt: skip
    spellcheck = Switch("Correct the query's spelling.", to="query.spellcheck", default=True)


images = Endpoint(
    name="search-images", vendor=BRAVE, category="search", access=READ,
    summary="Images of the web.",
    says=Says(
        "Searching the web for pictures of “{query}”",
        "Searched the web for pictures of “{query}”: {results:result}",
    ),
    docs=f"{DOCS}/image-search/responses",
    takes=Images, asks=get("/images/search"),
    gives=Shape(query=Maybe("query.original"), results=_results("images", "results", IMAGE)),
    examples=(example(
        {"query": "mountain landscape", "count": 1},
        "GET /images/search?q=mountain+landscape&count=1&country=US&search_lang=en"
        "&safesearch=strict&spellcheck=true",
        {"type": "images", "query": {"original": "mountain landscape", "spellcheck_off": False},
         "results": [{
             "type": "image_result", "title": "Mountain landscape", "source": "example.com",
             "url": "https://example.com/mountain-photo", "page_fetched": "2026-09-15T10:30:00Z",
             "thumbnail": {"src": "https://imgs.search.brave.com/m.jpg"},
             "properties": {
                 "url": "https://example.com/images/mountain.jpg", "width": 1920, "height": 1080,
                 "placeholder": "https://imgs.search.brave.com/p.jpg",
             },
             "confidence": "high",
         }]},
    ),),
)  # fmt: skip


class Videos(DatedQuery):
    count = Count("Number of results.", least=1, most=50, to="query.count", default=20)
    spellcheck = Switch("Correct the query's spelling.", to="query.spellcheck", default=True)


videos = Endpoint(
    name="search-videos", vendor=BRAVE, category="search", access=READ,
    summary="Videos of the web.",
    docs=f"{DOCS}/video-search/responses",
    takes=Videos, asks=get("/videos/search"),
    gives=Shape(query=Maybe("query.original"), results=_results("videos", "results", VIDEO)),
    examples=(example(
        {"query": "how to tie a knot", "count": 1, "freshness": "2026-01-01to2026-06-30"},
        "GET /videos/search?q=how+to+tie+a+knot&count=1&offset=0&country=US&search_lang=en"
        "&safesearch=moderate&freshness=2026-01-01to2026-06-30&spellcheck=true",
        {"type": "videos", "query": {"original": "how to tie a knot", "spellcheck_off": False},
         "results": [{
             "type": "video_result", "url": "https://videos.example/watch?v=1",
             "title": "Three knots", "description": "Bowline, clove hitch and sheet bend.",
             "age": "March 1, 2026", "page_age": "2026-03-01T12:00:00",
             "thumbnail": {"src": "https://imgs.search.brave.com/k.jpg"},
             "video": {
                 "duration": "04:31", "views": 120934, "creator": "Knots", "publisher": "Videos",
             },
         }]},
    ),),
)  # fmt: skip

ENDPOINTS = (web, images, videos)
