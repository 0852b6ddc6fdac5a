"""Stock photos, vectors and PSDs: their search, and the addresses of their files."""

from dataclasses import replace
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import READ, Endpoint
from service.integrations.declare.example import Example, Exchange, example
from service.integrations.declare.fields import Choice, Count, Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import unusable
from service.integrations.declare.request import Outgoing, get
from service.integrations.declare.shape import Each, Int, Maybe, Shape, Str, Within
from service.integrations.vendors.magnific.stock import (
    ENGLISH,
    FILE,
    NOTHING,
    PAGE,
    PAGING,
    expand_switches,
    language,
    order,
    page_number,
    page_size,
    term,
)
from service.integrations.vendors.magnific.vendor import DOCS, MAGNIFIC

SHIRT = {
    "id": 15667327, "title": "White t-shirt with copy space on gray background",
    "url": "https://www.freepik.com/free-photo/white-t-shirts-gray-background_15667327.htm",
    "filename": "white-t-shirts.jpg",
    "licenses": [
        {"type": "freemium", "url": "https://www.freepik.com/profile/license/pdf/4350594"}
    ],
    "image": {
        "type": "photo", "orientation": "horizontal",
        "source": {
            "key": "large", "url": "https://img.freepik.com/free-photo/tshirt_53876-104920.jpg",
            "size": "740x640",
        },
    },
    "author": {
        "id": 4711, "name": "John Doe", "avatar": "https://avatar.cdnpk.net/4711.jpg",
        "assets": 0, "slug": "john-doe",
    },
    "meta": {"published_at": "2020-12-01 23:50:50+00:00", "is_new": True},
    "stats": {"downloads": 52527, "likes": 137},
}  # fmt: skip

IMAGE = Shape(
    id=Int("id"), title="title", pageUrl="url", type=Maybe("image.type"),
    orientation=Maybe("image.orientation"), previewUrl=Maybe("image.source.url"),
    size=Maybe("image.source.size"), license=Maybe("licenses.0.type"),
    author=Maybe("author.name"),
    publishedAt=Maybe(Str("meta.published_at", about="Such as `2020-12-01 23:50:50+00:00`.")),
    downloads=Maybe(Int("stats.downloads")),
)  # fmt: skip
IMAGES = Shape(results=Each("data", IMAGE), pagination=Within("meta", PAGE))


class StockImages(Parameters):
    query = term()
    page = page_number(100)
    limit = page_size("limit")
    order = order()
    orientation = Choice(
        "landscape", "portrait", "square", "panoramic", about="The shape of the images."
    )
    contentType = Choice("photo", "psd", "vector", about="What kind of images.", default="photo")
    license = Choice("freemium", "premium", about="The license.")
    color = Choice(
        "black", "blue", "gray", "green", "orange", "red", "white", "yellow", "purple", "cyan",
        "pink",
        about="The predominant color.", to="query.filters[color]",
    )  # fmt: skip
    people = Choice("include", "exclude", about="Only images with people, or only without.")
    period = Choice(
        "last-month", "last-quarter", "last-semester", "last-year",
        about="Only images that were added since.", to="query.filters[period]",
    )  # fmt: skip
    aiGenerated = Choice("excluded", "only", about="No images that a model has made, or only such.")
    language = language()


def _search(
    call: Call,
    request: Outgoing,
    *,
    content_type: str,
    orientation: str | None = None,
    license: str | None = None,
    people: str | None = None,
    ai_generated: str | None = None,
) -> dict[str, Any]:
    filters = {
        "content_type": content_type, "orientation": orientation, "license": license,
        "people": people, "ai-generated": ai_generated,
    }  # fmt: skip
    return IMAGES.read(call.send(request.plus(query=expand_switches(filters, 1))))


search = Endpoint(
    name="search-stock-images", vendor=MAGNIFIC, category="image", access=READ,
    summary="Stock photos, vectors and PSDs for a word, with filters.",
    docs=f"{DOCS}/resources/get-all-resources",
    takes=StockImages, asks=get("/v1/resources", instead=NOTHING), run=_search, gives=IMAGES,
    examples=(Example(
        {
            "query": "t-shirt", "orientation": "landscape", "license": "freemium",
            "color": "white", "people": "exclude", "period": "last-year",
            "aiGenerated": "excluded",
        },
        (Exchange(
            "GET /v1/resources?term=t-shirt&page=1&limit=20&order=relevance"
            "&filters%5Bcolor%5D=white&filters%5Bperiod%5D=last-year"
            "&filters%5Bcontent_type%5D%5Bphoto%5D=1"
            "&filters%5Borientation%5D%5Blandscape%5D=1"
            "&filters%5Blicense%5D%5Bfreemium%5D=1&filters%5Bpeople%5D%5Bexclude%5D=1"
            "&filters%5Bai-generated%5D%5Bexcluded%5D=1",
            {"data": [SHIRT], "meta": {**PAGING, "clean_search": True}}, sends_headers=ENGLISH,
        ),),
    ),),
)  # fmt: skip


class StockImage(Parameters):
    id = Count("The image's `id`.", least=1, most=2**53, to="path.id", required=True)
    imageSize = Words(
        "The longest side of a photo: small, medium, large, original, or 100px to 2000px.",
        pattern="^(small|medium|large|original|[1-9][0-9]{2}px|1[0-9]{3}px|2000px)$",
        to="query.image_size",
    )  # fmt: skip
    format = Choice(
        "psd", "ai", "eps", "atn", "fonts", "resources", "png", "jpg", "3d-render", "svg",
        "mockup", about="Only the files of this format; not with `imageSize`.",
    )  # fmt: skip

    @validates_schema
    def check_size(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "imageSize" in data and "format" in data:
            raise ValidationError("Not allowed together with imageSize.", "format")


def _download(
    call: Call, request: Outgoing, *, id: int, format: str | None = None
) -> dict[str, Any]:
    """Return the files. A format has its own path, and may have several files."""
    if format is not None:
        request = replace(request, path=f"{request.path}/{format}")
    data = find(call.send(request), "data")
    files = [FILE.read(one) for one in (data if isinstance(data, list) else [data])]
    if not files:
        raise unusable("data")
    return {"id": id, **files[0], "files": files}


BLACKBOARD = {
    "filename": "blackboard-template.zip",
    "url": "https://downloadscdn5.freepik.com/d/1137445/blackboard-template.zip",
    "signed_url": "https://img.freepik.com/premium-photo/blackboard_1137445.jpg?t=st=1725276607",
}
download = Endpoint(
    name="download-stock-image", vendor=MAGNIFIC, category="image",
    summary="Where a stock image's files can be downloaded.",
    docs=f"{DOCS}/resources/download-a-resource",
    takes=StockImage, asks=get("/v1/resources/{id}/download"), run=_download,
    gives=Shape(FILE, id=Int(""), files=Each("", FILE)),
    examples=(
        example(
            {"id": 1137445, "imageSize": "2000px"},
            "GET /v1/resources/1137445/download?image_size=2000px", {"data": BLACKBOARD},
        ),
        Example({"id": 1137445, "format": "psd"}, (Exchange(
            "GET /v1/resources/1137445/download/psd", {"data": [BLACKBOARD]},
            serves="/v1/resources/{id}/download/{format}",
        ),)),
    ),
)  # fmt: skip

ENDPOINTS = (search, download)
