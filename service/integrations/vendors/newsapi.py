"""NewsAPI: current headlines, and articles of the past years, by subscription.

Source: newsapi.org/docs/endpoints and /docs/errors.
"""

from typing import Any

from marshmallow import ValidationError, post_load, validates_schema

from service.integrations.declare.cache import Cache
from service.integrations.declare.credential import HeaderKey
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import example
from service.integrations.declare.faults import LONGEST_PAUSE, limited
from service.integrations.declare.fields import Choice, Count, Parameters, Several, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.request import get
from service.integrations.declare.says import Says
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.shape import Each, Int, Maybe, Shape
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import InvalidRequest, ServiceError, UpstreamFailed

DOCS = "https://newsapi.org/docs/endpoints"
# 426 means that the plan does not reach that far: into the past, or into the results
ABOUT_PARAMETERS = (
    "parameterInvalid", "parametersIncompatible", "parametersMissing", "sourcesTooMany",
    "sourceDoesNotExist", "maximumResultsReached",
)  # fmt: skip


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal by its code, with any status. A refusal may have status 200."""
    if find(reply.body, "status") != "error":
        return None
    match find(reply.body, "code"):
        case "rateLimited":
            return limited(reply)
        case "apiKeyExhausted":
            return limited(reply, LONGEST_PAUSE)
        case str(code) if code in ABOUT_PARAMETERS:
            return InvalidRequest("The upstream does not accept these parameters.", details={})
    return UpstreamFailed(upstreamStatus=reply.status)


NEWSAPI = Vendor(
    integration="news",
    name="newsapi",
    bases=(base_url("NEWSAPI_BASE_URL", "https://newsapi.org/v2"),),
    credential=HeaderKey(
        secret("NEWSAPI_API_KEY", "the key of an account at NewsAPI.org"), "X-Api-Key"
    ),
    refusal=_refusal,
)

ARTICLE = Shape(
    url="url", title=Maybe("title"), description=Maybe("description"), content=Maybe("content"),
    author=Maybe("author"), sourceId=Maybe("source.id"), source=Maybe("source.name"),
    imageUrl=Maybe("urlToImage"), publishedAt=Maybe("publishedAt"),
)  # fmt: skip
NEWS = Shape(total=Int("totalResults"), articles=Each("articles", ARTICLE))
ANSWER = {
    "status": "ok", "totalResults": 1,
    "articles": [{
        "source": {"id": "bbc-news", "name": "BBC News"}, "author": "Jo Field",
        "title": "A comet returns", "description": "It was last seen in 1950.",
        "url": "https://www.bbc.example/news/1", "urlToImage": "https://img.example/1.jpg",
        "publishedAt": "2026-11-21T07:30:00Z", "content": "It was last seen… [+1200 chars]",
    }],
}  # fmt: skip


def _sources() -> Several:
    return Several(
        Words(pattern="^[a-z0-9-]{1,100}$"), "Only articles of these sources, by their ids.",
        least=1, most=20, joined=",", to="query.sources",
    )  # fmt: skip


def _domains(about: str, to: str) -> Several:
    return Several(
        Words(pattern="^[A-Za-z0-9.-]{1,253}$"), about, least=1, most=50, joined=",", to=to
    )


class NewsPage(Parameters):
    pageSize = Count("Articles of a page.", least=1, most=100, to="query.pageSize", default=20)
    page = Count("The page's number.", least=1, most=1000, to="query.page", default=1)


class Headlines(NewsPage):
    country = Choice("us", about="The country; not with `sources`.", to="query.country")
    category = Choice(
        "business", "entertainment", "general", "health", "science", "sports", "technology",
        about="The kind of news; not with `sources`.", to="query.category",
    )  # fmt: skip
    sources = _sources()
    query = Words("Words that a headline has.", most=500, to="query.q")

    @validates_schema
    def check_sources(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "sources" in data and ("country" in data or "category" in data):
            raise ValidationError("Not together with a country or a category.", "sources")

    @post_load
    def add_country(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Add a country if no filter is given, because NewsAPI requires one."""
        chosen = any(name in data for name in ("country", "category", "sources", "query"))
        return data if chosen else {**data, "country": "us"}


headlines = Endpoint(
    name="news-top-headlines", vendor=NEWSAPI, category="search",
    summary="Current headlines, by default of the US.",
    says=Says("Reading the headlines", "Read {articles:headline}"),
    docs=f"{DOCS}/top-headlines", access=FREE_READ, seconds=30,
    cache=Cache(seconds=600, shared=True),
    takes=Headlines, asks=get("/top-headlines"), gives=NEWS,
    examples=(
        example(
            {"category": "science", "query": "comet", "country": "us", "pageSize": 1},
            "GET /top-headlines?category=science&q=comet&country=us&pageSize=1&page=1", ANSWER,
        ),
        example(
            {"sources": ["bbc-news", "reuters"]},
            "GET /top-headlines?sources=bbc-news%2Creuters&pageSize=20&page=1", ANSWER,
        ),
        example({}, "GET /top-headlines?country=us&pageSize=20&page=1", ANSWER),
    ),
)  # fmt: skip


def _time(about: str, to: str) -> Words:
    return Words(
        f"{about}, or a time of it in UTC.",
        pattern=r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z?)?$", to=to,
        theirs=lambda time: time.removesuffix("Z"),
    )  # fmt: skip


class News(NewsPage):
    query = Words(
        'What to search for; `"a phrase"`, `+must`, `-not`, AND, OR and NOT are understood.',
        most=500, to="query.q",
    )  # fmt: skip
    searchIn = Several(
        Choice("title", "description", "content"),
        "Where the words must stand; by default, anywhere.",
        least=1, most=3, joined=",", to="query.searchIn",
    )  # fmt: skip
    sources = _sources()
    domains = _domains("Only articles of these domains.", "query.domains")
    excludeDomains = _domains("No articles of these domains.", "query.excludeDomains")
    fromDate = _time("Only articles from this day on", "query.from")
    toDate = _time("Only articles until this day", "query.to")
    language = Choice(
        "ar", "de", "en", "es", "fr", "he", "it", "nl", "no", "pt", "ru", "sv", "ud", "zh",
        about="The language of the articles; by default, any.", to="query.language",
    )  # fmt: skip
    sortBy = Choice(
        "relevancy", "popularity", "publishedAt",
        about="What to sort by: how well an article matches, its source's popularity, or its time.",
        to="query.sortBy", default="publishedAt",
    )  # fmt: skip

    @validates_schema
    def check_subject(self, data: dict[str, Any], **kwargs: Any) -> None:
        if not any(name in data for name in ("query", "sources", "domains")):
            raise ValidationError("Give a query, sources or domains.", "query")


search = Endpoint(
    name="news-search", vendor=NEWSAPI, category="search",
    summary="News articles that match a query, or of some sources or domains.",
    says=Says(
        "Searching the news for “{query}”",
        "Searched the news for “{query}”: {articles:article}",
    ),
    docs=f"{DOCS}/everything", access=FREE_READ, seconds=30,
    cache=Cache(seconds=600, shared=True),
    takes=News, asks=get("/everything"), gives=NEWS,
    examples=(example(
        {"query": "comet", "searchIn": ["title", "content"], "sources": ["bbc-news"],
         "domains": ["bbc.example", "nytimes.example"], "excludeDomains": ["blog.example"],
         "fromDate": "2026-11-01", "toDate": "2026-11-21T12:00:00Z", "language": "en"},
        "GET /everything?q=comet&searchIn=title%2Ccontent&sources=bbc-news"
        "&domains=bbc.example%2Cnytimes.example&excludeDomains=blog.example&from=2026-11-01"
        "&to=2026-11-21T12%3A00%3A00&language=en&sortBy=publishedAt&pageSize=20&page=1",
        ANSWER,
    ),),
)  # fmt: skip

ENDPOINTS = (headlines, search)
