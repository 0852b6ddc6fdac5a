"""Jolpica itself, and the parameters and shapes that its endpoints share.

A 429 has no `Retry-After`, and does not say which of the two limits is reached.
"""

from typing import Any

from service.integrations.declare.fields import Count, Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.setting import base_url
from service.integrations.declare.shape import Made, Maybe, Shape, Str, Values
from service.integrations.declare.vendor import Vendor

DOCS = "https://github.com/jolpica/jolpica-f1/blob/main/docs/endpoints"
FULL_PAGE = {"limit": 100}  # the most that the vendor gives; 30 without it

JOLPICA = Vendor(
    integration="racing",
    name="jolpica",
    bases=(base_url("JOLPICA_BASE_URL", "https://api.jolpi.ca/ergast/f1"),),
)


class Season(Parameters):
    season = Words(
        "A year from 1950 on, or `current`.", pattern="^(19[5-9][0-9]|20[0-9]{2}|current)$",
        to="path.season", default="current",
    )  # fmt: skip


class Page(Parameters):
    offset = Count(
        "Number of entries to skip; a page has at most 100.", least=0, most=10_000,
        to="query.offset", default=0,
    )  # fmt: skip


def _name(driver: Any, values: Values) -> str:
    names = (find(driver, "givenName"), find(driver, "familyName"))
    return " ".join(name for name in names if isinstance(name, str))


DRIVER = Shape(
    id="driverId", code=Maybe("code"), name=Made("", _name), number=Maybe("permanentNumber"),
    nationality=Maybe("nationality"),
)  # fmt: skip
RACE = Shape(
    season="season", round="round", raceName="raceName", circuit=Maybe("Circuit.circuitName"),
    country=Maybe("Circuit.Location.country"), locality=Maybe("Circuit.Location.locality"),
    date=Maybe("date"), time=Maybe(Str("time", about="In UTC, such as `15:00:00Z`.")),
)  # fmt: skip
