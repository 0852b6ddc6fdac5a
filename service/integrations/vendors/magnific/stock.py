"""The common parts of searches and downloads of icons, stock images and stock videos.

Magnific answers a search that finds nothing with 404. Our answer is an empty list.
"""

from collections.abc import Mapping
from typing import Any

from service.integrations.declare.fields import Choice, Count, Words
from service.integrations.declare.shape import Int, Made, Maybe, Shape, Str

NOTHING = {404: {"data": [], "meta": {"total": 0, "pagination": {"total": 0}}}}
PAGE = Shape(
    page=Maybe(Int("current_page")), perPage=Maybe(Int("per_page")),
    totalPages=Maybe(Int("last_page")), total=Maybe(Int("total")),
)  # fmt: skip
ADDRESS = "Copy it soon: how long the address is good is not documented."
ASKED_FOR = Shape(id=Made(Int(""), lambda item, values: values["id"]))
FILE = Shape(filename=Maybe("filename"), url=Str("url", about=ADDRESS))
DOWNLOAD = Shape(ASKED_FOR, filename=Maybe("data.filename"), url=Str("data.url", about=ADDRESS))
PAGING = {"current_page": 1, "per_page": 20, "last_page": 7, "total": 131}
ENGLISH = {"Accept-Language": "en-US"}


def term() -> Words:
    return Words("What to search for.", most=500, to="query.term", required=True)


def page_number(most: int) -> Count:
    return Count("The page, from 1.", least=1, most=most, to="query.page", default=1)


def page_size(to: str) -> Count:
    return Count("Results on a page.", least=1, most=100, to=f"query.{to}", default=20)


def order(*further: str, about: str = "The order of the results.") -> Choice:
    return Choice(
        "relevance", "recent", *further, about=about, to="query.order", default="relevance"
    )


def language() -> Words:
    return Words(
        "The language of the search, such as `de-DE`.",
        pattern="^[a-z]{2}(-[A-Z]{2})?$", to="header.Accept-Language", default="en-US",
    )  # fmt: skip


def expand_switches(filters: Mapping[str, str | None], value: int | bool) -> dict[str, Any]:
    """Return filters whose choices are separate switches: `filters[people][include]=1`."""
    chosen = {name: choice for name, choice in filters.items() if choice is not None}
    return {f"filters[{name}][{choice}]": value for name, choice in chosen.items()}
