"""Icons: their search, and the addresses of their files."""

from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.declare.endpoint import READ, Endpoint
from service.integrations.declare.example import Example, Exchange, example
from service.integrations.declare.fields import Choice, Count, Parameters, Several
from service.integrations.declare.request import get
from service.integrations.declare.shape import Bool, Each, Int, Made, Maybe, Readable, Shape, Within
from service.integrations.vendors.magnific.stock import (
    DOWNLOAD,
    ENGLISH,
    NOTHING,
    PAGE,
    PAGING,
    language,
    order,
    page_number,
    page_size,
    term,
)
from service.integrations.vendors.magnific.vendor import DOCS, MAGNIFIC

SIZES = (16, 24, 32, 64, 128, 256, 512)
DOG = {
    "id": 52912, "name": "Dog", "created": "2023-03-07 23:05:26+00:00", "slug": "dog",
    "style": {"id": 50, "name": "Meticulous Yellow shadow"},
    "family": {"id": 1, "name": "Outline", "total": 1200},
    "author": {
        "id": 4711, "name": "John Doe", "avatar": "https://avatar.cdnpk.net/4711.jpg",
        "assets": 0, "slug": "john-doe",
    },
    "thumbnails": [
        {"url": "https://cdn-icons-png.flaticon.com/128/52/52912.png", "width": 128, "height": 128}
    ],
    "free_svg": True, "tags": [{"slug": "dog", "name": "Dog"}],
}  # fmt: skip

ICON = Shape(
    id=Int("id"), name="name", slug=Maybe("slug"), style=Maybe("style.name"),
    family=Maybe("family.name"), author=Maybe("author.name"),
    thumbnailUrl=Maybe("thumbnails.0.url"), freeSvg=Maybe(Bool("free_svg")),
    tags=Maybe(Readable("tags", "name")),
)  # fmt: skip


class Icons(Parameters):
    query = term()
    page = page_number(10_000)
    perPage = page_size("per_page")
    order = order(
        about="It has no effect: Magnific sorts the icons for a word by how well they fit."
    )
    thumbnailSize = Count(
        "Pixels of a thumbnail's side.",
        least=16, most=512, to="query.thumbnail_size", default=128,
    )  # fmt: skip
    color = Choice(
        "gradient", "solid-black", "multicolor", "azure", "black", "blue", "chartreuse", "cyan",
        "gray", "green", "orange", "red", "rose", "spring-green", "violet", "white", "yellow",
        about="Their color.", to="query.filters[color]",
    )  # fmt: skip
    shape = Choice(
        "outline", "fill", "lineal-color", "hand-drawn",
        about="How they are drawn.", to="query.filters[shape]",
    )  # fmt: skip
    license = Choice(
        "all", "free", "premium",
        about="Whether their SVG is free.", to="query.filters[free_svg]",
    )  # fmt: skip
    iconType = Several(
        Choice("standard", "animated", "sticker", "uicon"), "What kinds of icons.",
        least=1, most=4, to="query.filters[icon_type][]",
    )  # fmt: skip
    language = language()


search = Endpoint(
    name="search-icons", vendor=MAGNIFIC, category="image", access=READ,
    summary="Icons for a word, with filters.",
    docs=f"{DOCS}/icons/get-all-icons-by-order",
    takes=Icons, asks=get("/v1/icons", instead=NOTHING),
    gives=Shape(results=Each("data", ICON), pagination=Within("meta.pagination", PAGE)),
    examples=(Example(
        {
            "query": "dog", "color": "solid-black", "shape": "outline", "license": "free",
            "iconType": ["standard", "uicon"],
        },
        (Exchange(
            "GET /v1/icons?term=dog&page=1&per_page=20&order=relevance&thumbnail_size=128"
            "&filters%5Bcolor%5D=solid-black&filters%5Bshape%5D=outline"
            "&filters%5Bfree_svg%5D=free&filters%5Bicon_type%5D%5B%5D=standard"
            "&filters%5Bicon_type%5D%5B%5D=uicon",
            {"data": [DOG], "meta": {"pagination": PAGING}}, sends_headers=ENGLISH,
        ),),
    ),),
)  # fmt: skip


class Icon(Parameters):
    id = Count("The icon's `id`.", least=1, most=2**53, to="path.id", required=True)
    format = Choice(
        "svg", "png", "gif", "mp4", "aep", "json", "psd", "eps",
        about="The file's format; beside `svg` and `png`, for animated icons only.",
        to="query.format", default="svg",
    )  # fmt: skip
    pngSize = Count(
        "Pixels of a PNG's side: 16, 24, 32, 64, 128, 256 or 512, which is the default.",
        least=16, most=512, to="query.png_size",
    )  # fmt: skip

    @validates_schema
    def check_size(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "pngSize" in data and data["format"] != "png":
            raise ValidationError("Only allowed with the format png.", "pngSize")
        if data.get("pngSize", 512) not in SIZES:
            raise ValidationError(f"Must be one of {SIZES}.", "pngSize")


ICON_FILE = Shape(DOWNLOAD, format=Made("", lambda answer, values: values["format"]))

download = Endpoint(
    name="download-icon", vendor=MAGNIFIC, category="image",
    summary="Where an icon's file can be downloaded.",
    docs=f"{DOCS}/icons/download-an-icon",
    takes=Icon, asks=get("/v1/icons/{id}/download"), gives=ICON_FILE,
    examples=(example(
        {"id": 52912, "format": "png", "pngSize": 256},
        "GET /v1/icons/52912/download?format=png&png_size=256",
        {"data": {
            "filename": "dog.png", "url": "https://cdn-icons-png.flaticon.com/d/52912/dog.png",
        }},
    ),),
)  # fmt: skip

ENDPOINTS = (search, download)
