"""Stock videos: their search, and the addresses of their files."""

from dataclasses import replace
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import READ, Endpoint
from service.integrations.declare.example import Example, Exchange, example
from service.integrations.declare.fields import Choice, Count, Parameters, Several
from service.integrations.declare.json_paths import find
from service.integrations.declare.request import Outgoing, get
from service.integrations.declare.shape import Bool, Each, Int, Made, Maybe, Shape, Str, Within
from service.integrations.vendors.magnific.stock import (
    DOWNLOAD,
    ENGLISH,
    NOTHING,
    PAGE,
    PAGING,
    expand_switches,
    language,
    order,
    page_number,
    term,
)
from service.integrations.vendors.magnific.vendor import DOCS, MAGNIFIC

LONGEST = 24 * 3600  # seconds
MOUNTAINS = {
    "id": 30955, "name": "Mountains at sunset", "code": "mountains-at-sunset",
    "url": "https://www.freepik.com/premium-video/mountains-at-sunset_30955",
    "aspect_ratio": "16:9", "created": "2023-03-07T23:05:26+00:00", "quality": "4k",
    "duration": "00:00:12", "premium": 1, "is_ai_generated": False,
    "author": {"id": 4711, "name": "John Doe"},
    "thumbnails": [{"url": "https://v4.cdnpk.net/videvo_files/video/30955/large.png"}],
    "previews": [{"url": "https://v4.cdnpk.net/videvo_files/video/30955/small.mp4"}],
}  # fmt: skip


def _is_premium(video: Any, values: Any) -> bool | None:
    """Return a boolean for Magnific's 1 or 0, or None."""
    premium = find(video, "premium")
    return bool(premium) if premium in (0, 1) else None


VIDEO = Shape(
    id=Int("id"), title="name", pageUrl=Maybe("url"), quality=Maybe("quality"),
    duration=Maybe(Str("duration", about="Such as `00:00:12`.")), aspectRatio=Maybe("aspect_ratio"),
    premium=Made(Maybe(Bool("")), _is_premium), author=Maybe("author.name"),
    thumbnailUrl=Maybe("thumbnails.0.url"), previewUrl=Maybe("previews.0.url"),
)  # fmt: skip
VIDEOS = Shape(results=Each("data", VIDEO), pagination=Within("meta.pagination", PAGE))


class StockVideos(Parameters):
    query = term()
    page = page_number(10_000)
    order = order("random")
    orientation = Choice(
        "horizontal", "vertical", "square", "panoramic",
        about="The shape of the videos.", to="query.filters[orientation][]",
    )  # fmt: skip
    category = Choice(
        "footage", "motion_graphics", about="What kind of videos.", to="query.filters[category]"
    )
    durationFrom = Count(
        "Seconds that they last at least.",
        least=1, most=LONGEST, to="query.filters[duration][from]",
    )  # fmt: skip
    durationTo = Count(
        "Seconds that they last at most.",
        least=1, most=LONGEST, to="query.filters[duration][to]",
    )  # fmt: skip
    license = Choice("free", "premium", about="The license.")
    resolution = Choice("720", "1080", "2k", "4k", about="The resolution.")
    topic = Several(
        Choice(
            "people", "nature", "business", "background", "food", "travel", "sports", "events"
        ),
        "What they show.", least=1, most=8, to="query.filters[topic][]",
    )  # fmt: skip
    language = language()

    @validates_schema
    def check_duration(self, data: dict[str, Any], **kwargs: Any) -> None:
        if data.get("durationFrom", 0) > data.get("durationTo", LONGEST):
            raise ValidationError("Must not be below durationFrom.", "durationTo")


def _search(
    call: Call, request: Outgoing, *, license: str | None = None, resolution: str | None = None
) -> dict[str, Any]:
    filters = expand_switches({"license": license, "resolution": resolution}, True)
    return VIDEOS.read(call.send(request.plus(query=filters)))


search = Endpoint(
    name="search-stock-videos", vendor=MAGNIFIC, category="image", access=READ,
    summary="Stock videos for a word, with filters.",
    docs=f"{DOCS}/videos/get-all-videos-by-order",
    takes=StockVideos, asks=get("/v1/videos", instead=NOTHING), run=_search, gives=VIDEOS,
    examples=(Example(
        {
            "query": "mountains", "orientation": "horizontal", "category": "footage",
            "durationFrom": 5, "durationTo": 30, "license": "premium", "resolution": "4k",
            "topic": ["nature", "travel"],
        },
        (Exchange(
            "GET /v1/videos?term=mountains&page=1&order=relevance"
            "&filters%5Borientation%5D%5B%5D=horizontal&filters%5Bcategory%5D=footage"
            "&filters%5Bduration%5D%5Bfrom%5D=5&filters%5Bduration%5D%5Bto%5D=30"
            "&filters%5Btopic%5D%5B%5D=nature&filters%5Btopic%5D%5B%5D=travel"
            "&filters%5Blicense%5D%5Bpremium%5D=true&filters%5Bresolution%5D%5B4k%5D=true",
            {"data": [MOUNTAINS], "meta": {"pagination": PAGING}}, sends_headers=ENGLISH,
        ),),
    ),),
)  # fmt: skip


class StockVideo(Parameters):
    id = Count("The video's `id`.", least=1, most=2**53, to="path.id", required=True)
    optionId = Count(
        "The id of one of the video's options, each with a resolution and a codec of its own. Only "
        "Magnific's `GET /v1/videos/{id}` lists these ids; `search-stock-videos` does not.",
        least=1, most=2**53,
    )  # fmt: skip


def _download(
    call: Call, request: Outgoing, *, id: int, option_id: int | None = None
) -> dict[str, Any]:
    if option_id is not None:
        request = replace(request, path=f"/v1/videos/{id}/options/{option_id}/download")
    return DOWNLOAD.read(call.send(request), {"id": id})


MP4 = {
    "filename": "mountains-at-sunset.mp4",
    "url": "https://downloadscdn5.freepik.com/d/30955/mountains-at-sunset.mp4",
}
download = Endpoint(
    name="download-stock-video", vendor=MAGNIFIC, category="image",
    summary="Where a stock video can be downloaded.",
    docs=f"{DOCS}/videos/download-an-video",
    takes=StockVideo, asks=get("/v1/videos/{id}/download"), run=_download, gives=DOWNLOAD,
    examples=(
        example({"id": 30955}, "GET /v1/videos/30955/download", {"data": MP4}),
        Example({"id": 30955, "optionId": 12345}, (Exchange(
            "GET /v1/videos/30955/options/12345/download", {"data": MP4},
            serves="/v1/videos/{id}/options/{option}/download",
        ),)),
    ),
)  # fmt: skip

ENDPOINTS = (search, download)
