"""How far Semantic Scholar's lists can be read, page by page."""

from collections.abc import Mapping
from typing import Any

from service.integrations.declare.fields import Count
from service.integrations.declare.json_paths import find
from service.integrations.declare.shape import Int, Made, Maybe, Values

# The items of a list that can be had. A search's `offset + limit` must be less than 1000, that of
# authors and citations less than 10,000.
SEARCHED, LISTED = 999, 9_999


def offset_of(what: str, reach: int, to: str = "") -> Count:
    """The parameter that names a page's first item, of a list whose first `reach` can be had."""
    about = f"{what} to leave out: the `nextOffset` of an earlier answer."
    return Count(about, least=0, most=reach - 1, to=to, default=0)


def clamp_page(values: Mapping[str, Any], reach: int) -> dict[str, Any]:
    """The parameters of a page, shortened if it can't be had to its end: the vendor would refuse
    it, and it begins where an earlier answer said that the next page does."""
    return {**values, "limit": min(values["limit"], reach - values["offset"])}


def next_offset(reach: int) -> Made:
    """The next page's offset; null after the last page, and after the last one that can be had."""

    def read(answer: Any, values: Values) -> int | None:
        following = find(answer, "next")
        is_number = isinstance(following, int) and not isinstance(following, bool)
        return following if is_number and following < reach else None

    return Made(Maybe(Int("")), read)
