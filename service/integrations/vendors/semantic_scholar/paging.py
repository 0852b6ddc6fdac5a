"""The limits to which Semantic Scholar's lists can be read, page by page."""

from collections.abc import Mapping
from typing import Any

from service.integrations.declare.fields import Count
from service.integrations.declare.json_paths import find
from service.integrations.declare.shape import Int, Made, Maybe, Values

# The number of a list's items that can be read. `offset + limit` of a search must be less than
# 1000, and that of authors and citations less than 10,000.
SEARCHED, LISTED = 999, 9_999


def offset_of(what: str, reach: int, to: str = "") -> Count:
    """Return the parameter for a page's first item. Only a list's first `reach` can be read."""
    about = f"{what} to leave out: the `nextOffset` of an earlier answer."
    return Count(about, least=0, most=reach - 1, to=to, default=0)


def clamp_page(values: Mapping[str, Any], reach: int) -> dict[str, Any]:
    """Return a page's parameters, with a shorter page if its end can't be read.

    The vendor would refuse the full page, though an earlier answer names its beginning.
    """
    return {**values, "limit": min(values["limit"], reach - values["offset"])}


def next_offset(reach: int) -> Made:
    """Read the next page's offset, or null if there is none or it can't be read."""

    def read(answer: Any, values: Values) -> int | None:
        following = find(answer, "next")
        is_number = isinstance(following, int) and not isinstance(following, bool)
        return following if is_number and following < reach else None

    return Made(Maybe(Int("")), read)
