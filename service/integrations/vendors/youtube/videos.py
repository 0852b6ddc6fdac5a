"""Videos: a search, details, and charts."""

from typing import Any

from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange, example
from service.integrations.declare.fields import Choice, Count, Moment, Parameters, Several, Words
from service.integrations.declare.html_text import unescape
from service.integrations.declare.json_paths import find
from service.integrations.declare.request import get
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Each, Int, Made, Maybe, Shape, Str, Values
from service.integrations.vendors.youtube.vendor import DOCS, YOUTUBE

DETAILS = {"part": "snippet,contentDetails,statistics"}
LANGUAGE = "^[A-Za-z]{2,3}(-([A-Za-z]{2,4}|[0-9]{3}))?$"


def _title(item: Any, values: Values) -> str | None:
    """Return the title. Only a search escapes titles for HTML."""
    title = find(item, "snippet.title")
    return unescape(title) if isinstance(title, str) else None


def _in_language(name: str) -> Made:
    """Read a text of the snippet in the language that the call names."""

    def read(item: Any, values: Values) -> str | None:
        paths = [f"snippet.localized.{name}"] if "language" in values else []
        texts = [find(item, path) for path in (*paths, f"snippet.{name}")]
        return next((text for text in texts if isinstance(text, str)), None)

    return Made(Maybe(""), read)


def _is_video(match: Any) -> bool:
    """Return whether a match is no channel and no playlist.

    YouTube gives some, though only videos are requested.
    Source: github.com/youtube/api-samples/issues/141.
    """
    return not any(find(match, f"id.{kind}Id") for kind in ("channel", "playlist"))


def _thumbnail(item: Any, values: Values) -> str | None:
    urls = [find(item, f"snippet.thumbnails.{size}.url") for size in ("high", "default")]
    return next((url for url in urls if isinstance(url, str)), None)


SNIPPET = Shape(
    title=Maybe("snippet.title"), description=Maybe("snippet.description"),
    channelId=Maybe("snippet.channelId"), channel=Maybe("snippet.channelTitle"),
    publishedAt=Maybe("snippet.publishedAt"), thumbnailUrl=Made(Maybe(""), _thumbnail),
)  # fmt: skip
MATCH = Shape(SNIPPET, id="id.videoId", title=Made(Maybe(""), _title))
VIDEO = Shape(
    SNIPPET, id="id", title=_in_language("title"), description=_in_language("description"),
    tags=Each("snippet.tags", default=()),
    duration=Maybe(Str("contentDetails.duration", about="ISO 8601, such as `PT4M13S`.")),
    views=Maybe(Str("statistics.viewCount", about="A number, as text.")),
    likes=Maybe(Str("statistics.likeCount", about="A number, as text.")),
    comments=Maybe(Str("statistics.commentCount", about="A number, as text.")),
)  # fmt: skip


class Page(Parameters):
    cursor = Words("The `nextCursor` of the page before.", most=256, to="query.pageToken")


class Search(Page):
    query = Words(
        "Words to search for; `-` excludes one, `|` allows either of two.", most=500,
        to="query.q", required=True,
    )  # fmt: skip
    maxResults = Count("Videos of a page.", least=1, most=50, to="query.maxResults", default=10)
    order = Choice(
        "relevance", "date", "rating", "viewCount", "title", "videoCount",
        about="What to sort by.", to="query.order", default="relevance",
    )  # fmt: skip
    publishedAfter = Moment("Only videos published after this time.", to="query.publishedAfter")
    publishedBefore = Moment("Only videos published before this time.", to="query.publishedBefore")
    duration = Choice(
        "any", "short", "medium", "long",
        about="`short` is under 4 minutes, `long` over 20, `medium` between.",
        to="query.videoDuration", default="any",
    )  # fmt: skip
    regionCode = Words(
        "Only videos that can be watched in this country, in two letters.",
        pattern="^[A-Za-z]{2}$", to="query.regionCode",
    )  # fmt: skip
    language = Words(
        "Prefer videos in this language, such as `en`.",
        pattern=LANGUAGE, to="query.relevanceLanguage",
    )  # fmt: skip
    safeSearch = Choice(
        "none", "moderate", "strict", about="How much to leave out as unfit for minors.",
        to="query.safeSearch", default="moderate",
    )  # fmt: skip
    channelId = Words("Only videos of this channel.", most=64, to="query.channelId")


search = Endpoint(
    name="videosite-search", vendor=YOUTUBE, category="social",
    summary="Videos that match words.",
    says=Says("Searching videos for “{query}”", "Searched videos for “{query}”: {videos:video}"),
    docs=f"{DOCS}/search/list", access=FREE_READ, seconds=20,
    cache=Cache(seconds=3600, shared=True),
    takes=Search, asks=get("/search", query={"part": "snippet", "type": "video"}),
    gives=Shape(
        videos=Each("items", MATCH, where=_is_video, default=()),
        nextCursor=Maybe("nextPageToken"), total=Maybe(Int("pageInfo.totalResults")),
    ),
    examples=(example(
        {"query": "api demo", "maxResults": 1, "publishedAfter": "2012-01-01T01:00+01:00",
         "publishedBefore": "2013-01-01T00:00Z", "regionCode": "US", "language": "en",
         "channelId": "UC_x5XG1OV2P6uZZ5FSM9Ttw", "cursor": "CAEQAQ"},
        "GET /search?part=snippet&type=video&q=api+demo&maxResults=1&order=relevance"
        "&publishedAfter=2012-01-01T00%3A00%3A00Z&publishedBefore=2013-01-01T00%3A00%3A00Z"
        "&videoDuration=any&regionCode=US&relevanceLanguage=en&safeSearch=moderate"
        "&channelId=UC_x5XG1OV2P6uZZ5FSM9Ttw&pageToken=CAEQAQ",
        {"kind": "youtube#searchListResponse", "nextPageToken": "CAEQAA",
         "pageInfo": {"totalResults": 4249, "resultsPerPage": 1},
         "items": [{
             "kind": "youtube#searchResult",
             "id": {"kind": "youtube#video", "videoId": "Ks-_Mh1QhMc"},
             "snippet": {
                 "publishedAt": "2012-10-01T15:27:35Z", "channelId": "UC_x5XG1OV2P6uZZ5FSM9Ttw",
                 "title": "What&#39;s new in the API", "description": "A demonstration.",
                 "thumbnails": {
                     "default": {"url": "https://i.ytimg.com/vi/Ks-_Mh1QhMc/default.jpg"},
                     "high": {"url": "https://i.ytimg.com/vi/Ks-_Mh1QhMc/hqdefault.jpg"},
                 },
                 "channelTitle": "Google for Developers", "liveBroadcastContent": "none",
             },
         }]},
    ),),
)  # fmt: skip

ITEM = {
    "kind": "youtube#video",
    "id": "Ks-_Mh1QhMc",
    "snippet": {
        "publishedAt": "2012-10-01T15:27:35Z",
        "channelId": "UC_x5XG1OV2P6uZZ5FSM9Ttw",
        "title": "What's new in the API",
        "description": "A demonstration.",
        "thumbnails": {"default": {"url": "https://i.ytimg.com/vi/Ks-_Mh1QhMc/default.jpg"}},
        "channelTitle": "Google for Developers",
        "tags": ["api", "demo"],
        "localized": {"title": "Novedades de la API", "description": "Una demostración."},
    },
    "contentDetails": {"duration": "PT4M13S"},
    "statistics": {"viewCount": "3057", "likeCount": "25", "commentCount": "12"},
}


class Details(Parameters):
    videoIds = Several(
        Words(pattern="^[A-Za-z0-9_-]{1,64}$"), "The videos; one that does not exist is left out.",
        least=1, most=50, joined=",", to="query.id", required=True,
    )  # fmt: skip
    language = Words(
        "The language of titles and descriptions, where they are translated.",
        pattern=LANGUAGE, to="query.hl",
    )  # fmt: skip


details = Endpoint(
    name="videosite-video-details", vendor=YOUTUBE, category="social",
    summary="Videos with their duration and counters; a hidden counter is null.",
    docs=f"{DOCS}/videos/list", access=FREE_READ, seconds=20,
    cache=Cache(seconds=900, shared=True),
    takes=Details, asks=get("/videos", query=DETAILS),
    gives=Shape(videos=Each("items", VIDEO, default=())),
    examples=(example(
        {"videoIds": ["Ks-_Mh1QhMc", "lost"], "language": "es-419"},
        "GET /videos?part=snippet%2CcontentDetails%2Cstatistics&id=Ks-_Mh1QhMc%2Clost&hl=es-419",
        {"kind": "youtube#videoListResponse", "items": [ITEM]},
    ),),
)  # fmt: skip


class Trending(Page):
    regionCode = Words(
        "The country of the chart, in two letters.", pattern="^[A-Za-z]{2}$",
        to="query.regionCode", default="US",
    )  # fmt: skip
    categoryId = Words(
        "Only videos of this category: 10 is music, 20 gaming, 1 film.", pattern="^[0-9]{1,4}$",
        to="query.videoCategoryId",
    )  # fmt: skip
    maxResults = Count("Videos of a page.", least=1, most=50, to="query.maxResults", default=20)


trending = Endpoint(
    name="videosite-trending", vendor=YOUTUBE, category="social",
    summary="The most popular videos of the charts of music, films and gaming.",
    docs=f"{DOCS}/videos/list", access=FREE_READ, seconds=20,
    cache=Cache(seconds=1800, shared=True),
    takes=Trending, asks=get("/videos", query={**DETAILS, "chart": "mostPopular"}),
    gives=Shape(videos=Each("items", VIDEO, default=()), nextCursor=Maybe("nextPageToken")),
    examples=(Example({"categoryId": "10", "maxResults": 1, "cursor": "CAEQAQ"}, (Exchange(
        "GET /videos?part=snippet%2CcontentDetails%2Cstatistics&chart=mostPopular&regionCode=US"
        "&videoCategoryId=10&maxResults=1&pageToken=CAEQAQ",
        {"kind": "youtube#videoListResponse", "nextPageToken": "CAEQAA", "items": [ITEM]},
        when={"query.chart": "mostPopular"},
    ),)),),
)  # fmt: skip

ENDPOINTS = (search, details, trending)
