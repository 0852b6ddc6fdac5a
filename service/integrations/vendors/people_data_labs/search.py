"""A search for professional profiles. The vendor allows 10 a minute."""

from collections.abc import Sequence
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import example
from service.integrations.declare.fields import Count, Parameters, Several, Words
from service.integrations.declare.limit import Limit
from service.integrations.declare.request import Outgoing, post
from service.integrations.declare.shape import Each, Int, Maybe, Shape
from service.integrations.vendors.people_data_labs.vendor import (
    COLUMNS,
    DOCS,
    PDL,
    PROFILE,
    RECORD,
)

FILTERS = ("query", "title", "company", "location", "skills")

PROFILES = Shape(
    profiles=Each("data", PROFILE), total=Maybe(Int("total")), nextCursor=Maybe("scroll_token")
)


class Search(Parameters):
    query = Words("Words of the job's title. Give this or a filter.", most=200)
    title = Words("Words of the job's title.", most=200)
    company = Words("Words of the company's name.", most=200)
    location = Words("Words of the place, such as a city and its country.", most=200)
    skills = Several(Words(most=100), "At least one of these skills.", least=1, most=20)
    limit = Count("Profiles of a page.", least=1, most=25, to="json.size", default=5)
    cursor = Words("The `nextCursor` of the page before.", most=1024, to="json.scroll_token")

    @validates_schema
    def check_filters(self, data: dict[str, Any], **kwargs: Any) -> None:
        if not any(name in data for name in FILTERS):
            raise ValidationError("Give `query` or at least one filter.", "query")


def _search(
    call: Call,
    request: Outgoing,
    *,
    query: str | None = None,
    title: str | None = None,
    company: str | None = None,
    location: str | None = None,
    skills: Sequence[str] = (),
) -> dict[str, Any]:
    words = (
        ("job_title", query), ("job_title", title), ("job_company_name", company),
        ("location_name", location),
    )  # fmt: skip
    # The vendor's index is in lower case.
    must: list[dict[str, Any]] = [
        {"match": {field: value.lower()}} for field, value in words if value
    ]
    if skills:
        must += [{"terms": {"skills": [skill.lower() for skill in skills]}}]
    return PROFILES.read(call.send(request.plus(json={"query": {"bool": {"must": must}}})))


search = Endpoint(
    name="profnet-search-profiles", vendor=PDL, category="social",
    summary="Professional profiles by job title, company, place and skills.",
    docs=f"{DOCS}/reference-person-search-api",
    access=FREE_READ, per_user=Limit(calls=30, seconds=3600), seconds=30,
    takes=Search, run=_search, gives=PROFILES,
    # 404: no profile fits
    asks=post(
        "/person/search", json={"titlecase": True, "dataset": "all", "data_include": COLUMNS},
        instead={404: {"data": [], "total": 0}},
    ),
    examples=(example(
        {"query": "Engineer", "title": "Founder", "company": "People Data Labs",
         "location": "San Francisco", "skills": ["Python", "APIs"], "limit": 1, "cursor": "10$1.2"},
        "POST /person/search",
        {"status": 200, "data": [RECORD], "scroll_token": "1117$12.176522", "total": 99},
        body={
            "titlecase": True, "dataset": "all", "data_include": COLUMNS, "size": 1,
            "scroll_token": "10$1.2",
            "query": {"bool": {"must": [
                {"match": {"job_title": "engineer"}}, {"match": {"job_title": "founder"}},
                {"match": {"job_company_name": "people data labs"}},
                {"match": {"location_name": "san francisco"}},
                {"terms": {"skills": ["python", "apis"]}},
            ]}},
        },
    ),),
)  # fmt: skip

ENDPOINTS = (search,)
