"""Wikimedia: articles of Wikipedia in all its languages, each at its own host.

There is no key. Wikimedia asks every client to name itself and a contact in its User-Agent.
Source: en.wikipedia.org/api/rest_v1, mediawiki.org/wiki/API:REST_API/Reference, and
foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy.
"""

import re
from dataclasses import replace
from typing import Any
from urllib.parse import quote, unquote

from service.integrations.calling.call import Call
from service.integrations.declare.cache import Cache
from service.integrations.declare.credential import HeaderKey
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange, example
from service.integrations.declare.faults import not_found
from service.integrations.declare.fields import Count, Parameters, Words
from service.integrations.declare.html_text import unescape
from service.integrations.declare.json_paths import find
from service.integrations.declare.path import has_dot_segment, path_of
from service.integrations.declare.reading import text
from service.integrations.declare.request import Outgoing, get
from service.integrations.declare.says import Says
from service.integrations.declare.setting import Setting, base_url
from service.integrations.declare.shape import (
    Bool,
    Each,
    Int,
    Made,
    Maybe,
    Num,
    Shape,
    Values,
    Within,
)
from service.integrations.declare.vendor import Reply, Vendor
from service.release import USER_AGENT
from service.storable import make_storable
from service.web.errors import NotFound, ServiceError

DOCS = "https://www.mediawiki.org/wiki"
SUMMARY = "/api/rest_v1/page/summary/{title}"
REDIRECTS = 3  # of a title: to its normal form, and to its article
ELSEWHERE = re.compile(r"(?:[^?#]*/page/summary/)?([^/?#]+)(?:[?#].*)?")


class Moved(NotFound):
    """The article has another title."""

    def __init__(self, title: str) -> None:
        super().__init__("The upstream has nothing of that kind.")
        self.title = title


def _refusal(reply: Reply) -> ServiceError | None:
    if reply.status not in (301, 302, 303, 307, 308):
        return None
    match = ELSEWHERE.fullmatch(reply.headers.get("Location", ""))
    title = unquote(match[1]) if match else ""
    return not_found() if not title or has_dot_segment(title) else Moved(title)


WIKIMEDIA = Vendor(
    integration="encyclopedia",
    name="wikimedia",
    bases=(base_url("WIKIMEDIA_BASE_URL", "https://{language}.wikipedia.org"),),
    credential=HeaderKey(
        Setting(
            "WIKIMEDIA_CONTACT", "a mail address or URL; without it calls may be blocked", "header"
        ),
        "User-Agent",
        f"{USER_AGENT} ({{key}})",
    ),
    refusal=_refusal,
)


def _address(language: str, key: str) -> str:
    """Return the address of an article, for its readers."""
    quoted = quote(make_storable(key), safe=":/,()")
    return f"https://{language}.wikipedia.org/wiki/{quoted}"


def _url(page: Any, values: Values) -> str:
    url = find(page, "content_urls.desktop.page")
    if isinstance(url, str):
        return url
    return _address(values["language"], text(page, "titles.canonical"))


def _plain(item: Any, values: Values) -> str | None:
    """Return the excerpt without the marks of matching words."""
    excerpt = find(item, "excerpt")
    return unescape(re.sub("<[^<>]*>", "", excerpt)) if isinstance(excerpt, str) else None


def _thumbnail(item: Any, values: Values) -> str | None:
    """Return the picture's address with its scheme, which Wikimedia leaves out."""
    url = find(item, "thumbnail.url")
    if not isinstance(url, str):
        return None
    return f"https:{url}" if url.startswith("//") else url


ARTICLE = Shape(
    title="titles.normalized", pageId=Maybe(Int("pageid")), description=Maybe("description"),
    extract=Maybe("extract"), extractHtml=Maybe("extract_html"), url=Made("", _url),
    thumbnailUrl=Maybe("thumbnail.source"), imageUrl=Maybe("originalimage.source"),
    coordinates=Maybe(Within("coordinates", Shape(latitude=Num("lat"), longitude=Num("lon")))),
    language=Maybe("lang"), lastModified=Maybe("timestamp"),
    isDisambiguation=Made(Bool(""), lambda page, values: find(page, "type") == "disambiguation"),
)  # fmt: skip
RESULT = Shape(
    pageId=Int("id"), key="key", title=Maybe("title"), description=Maybe("description"),
    excerpt=Made(Maybe(""), _plain), thumbnailUrl=Made(Maybe(""), _thumbnail),
    url=Made("", lambda item, values: _address(values["language"], text(item, "key"))),
)  # fmt: skip


class Wiki(Parameters):
    language = Words(
        "The language of the encyclopedia, as in its host name: `en`, `de`, `zh-yue`, `simple`.",
        pattern="^([a-z]{2,3}(-[a-z]+)*|simple)$", to="base.language", default="en",
    )  # fmt: skip


class Article(Wiki):
    title = Words(
        "The article's title. Redirects are followed.", most=255,
        to="path.title", theirs=lambda title: title.replace(" ", "_"), required=True,
    )  # fmt: skip


def _summary(call: Call, request: Outgoing, *, language: str) -> dict[str, Any]:
    for _ in range(REDIRECTS + 1):
        try:
            return ARTICLE.read(call.send(request), {"language": language})
        except Moved as moved:
            request = replace(request, path=path_of(SUMMARY, title=moved.title))
    raise not_found()


SAN_FRANCISCO = {
    "type": "standard", "title": "San Francisco", "pageid": 49728, "lang": "en", "dir": "ltr",
    "titles": {
        "canonical": "San_Francisco", "normalized": "San Francisco",
        "display": "<span>San Francisco</span>",
    },
    "thumbnail": {
        "source": "https://upload.wikimedia.org/thumb/a/a1/SF.jpg/320px-SF.jpg",
        "width": 320, "height": 213,
    },
    "originalimage": {
        "source": "https://upload.wikimedia.org/a/a1/SF.jpg", "width": 3000, "height": 2000,
    },
    "timestamp": "2026-11-20T08:15:30Z", "description": "City and county in California",
    "coordinates": {"lat": 37.7775, "lon": -122.41638889},
    "content_urls": {"desktop": {"page": "https://en.wikipedia.org/wiki/San_Francisco"}},
    "extract": "San Francisco is a city in Northern California.",
    "extract_html": "<p><b>San Francisco</b> is a city in Northern California.</p>",
}  # fmt: skip

summary = Endpoint(
    name="encyclopedia-summary", vendor=WIKIMEDIA, category="search",
    summary="The beginning of an encyclopedia's article. Its text is CC BY-SA: show `url` with it.",
    says=Says(
        "Looking up “{title}” in the encyclopedia",
        "Looked up “{title}” in the encyclopedia",
    ),
    docs="https://en.wikipedia.org/api/rest_v1/#/Page%20content/get_page_summary__title_",
    access=FREE_READ, seconds=20,
    cache=Cache(seconds=600, shared=True),
    takes=Article, asks=get(SUMMARY), run=_summary, gives=ARTICLE,
    examples=(Example({"title": "San Fran"}, (
        Exchange(
            "GET /api/rest_v1/page/summary/San_Fran", {}, status=302,
            headers={"Location": "San_Francisco"}, serves="/api/rest_v1/page/summary/San_Fran",
        ),
        Exchange("GET /api/rest_v1/page/summary/San_Francisco", SAN_FRANCISCO),
    )),),
)  # fmt: skip


class Matches(Wiki):
    query = Words("What to search for.", most=300, to="query.q", required=True)
    limit = Count("Number of results.", least=1, most=100, to="query.limit", default=10)


search = Endpoint(
    name="encyclopedia-search", vendor=WIKIMEDIA, category="search",
    summary="Articles of an encyclopedia that match a query.",
    docs=f"{DOCS}/API:REST_API/Reference#Search_pages", access=FREE_READ, seconds=20,
    cache=Cache(seconds=600, shared=True),
    takes=Matches, asks=get("/w/rest.php/v1/search/page"),
    gives=Shape(
        query=Made("", lambda answer, values: values["query"]), results=Each("pages", RESULT)
    ),
    examples=(example(
        {"query": "jupiter moon", "limit": 1, "language": "en"},
        "GET /w/rest.php/v1/search/page?q=jupiter+moon&limit=1",
        {"pages": [{
            "id": 15612, "key": "Moons_of_Jupiter", "title": "Moons of Jupiter",
            "excerpt": 'There are 97 <span class="searchmatch">moons</span> of '
            '<span class="searchmatch">Jupiter</span> &amp; more',
            "matched_title": None, "description": "Natural satellites of the planet Jupiter",
            "thumbnail": {
                "mimetype": "image/jpeg", "width": 60, "height": 60,
                "url": "//upload.wikimedia.org/thumb/b/b1/Jupiter.jpg/60px-Jupiter.jpg",
            },
        }]},
    ),),
)  # fmt: skip

ENDPOINTS = (summary, search)
