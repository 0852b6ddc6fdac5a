"""Searches of papers and of authors."""

from typing import Any

from marshmallow import post_load

from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import example
from service.integrations.declare.fields import Choice, Count, Parameters, Several, Switch, Words
from service.integrations.declare.request import get
from service.integrations.declare.shape import Each, Maybe, Readable, Shape
from service.integrations.vendors.semantic_scholar.paging import (
    LISTED,
    SEARCHED,
    clamp_page,
    next_offset,
    offset_of,
)
from service.integrations.vendors.semantic_scholar.shapes import (
    AUTHOR,
    FOUND,
    FOUND_PEOPLE,
    PAPER,
    PAPER_FIELDS,
    count_of,
)
from service.integrations.vendors.semantic_scholar.vendor import DOCS, LARGEST, SCHOLAR

STUDIES = (
    "Agricultural and Food Sciences", "Art", "Biology", "Business", "Chemistry",
    "Computer Science", "Economics", "Education", "Engineering", "Environmental Science",
    "Geography", "Geology", "History", "Law", "Linguistics", "Materials Science", "Mathematics",
    "Medicine", "Philosophy", "Physics", "Political Science", "Psychology", "Sociology",
)  # fmt: skip
TYPES = (
    "Book", "BookSection", "CaseReport", "ClinicalTrial", "Conference", "Dataset", "Editorial",
    "JournalArticle", "LettersAndComments", "MetaAnalysis", "News", "Review", "Study",
)  # fmt: skip
AUTHOR_FIELDS = (
    "authorId,externalIds,url,name,affiliations,homepage,paperCount,citationCount,hIndex"
)
FOUND_AUTHOR = Shape(
    AUTHOR, affiliations=Maybe(Readable("affiliations")), homepage=Maybe("homepage"),
    paperCount=count_of("paperCount"), citationCount=count_of("citationCount"),
    hIndex=count_of("hIndex"), url=Maybe("url"), orcid=Maybe("externalIds.ORCID"),
)  # fmt: skip
TOTAL = Shape(total=count_of("total"))


def without_hyphens(query: str) -> str:
    """Return a query without hyphens, because Semantic Scholar finds nothing with them."""
    return query.replace("-", " ")


class PaperQuery(Parameters):
    query = Words(
        "What to search for, in plain words.", most=500, to="query.query", theirs=without_hyphens,
        required=True,
    )  # fmt: skip
    limit = Count("Number of papers.", least=1, most=100, to="query.limit", default=10)
    offset = offset_of("Papers", SEARCHED, to="query.offset")
    year = Words(
        "The year, or years such as `2016-2020`, `2010-` or `-2015`.",
        most=9, pattern="^([0-9]{4}(-([0-9]{4})?)?|-[0-9]{4})$", to="query.year",
    )  # fmt: skip
    fieldsOfStudy = Several(
        Choice(*STUDIES), "Only papers of one of these fields.",
        least=1, most=len(STUDIES), joined=",", to="query.fieldsOfStudy",
    )  # fmt: skip
    publicationTypes = Several(
        Choice(*TYPES), "Only papers of one of these types.",
        least=1, most=len(TYPES), joined=",", to="query.publicationTypes",
    )  # fmt: skip
    venue = Words("Only papers of this journal or conference.", most=200, to="query.venue")
    minCitations = Count(
        "Only papers that are cited so often.",
        least=0, most=1_000_000, to="query.minCitationCount",
    )  # fmt: skip
    openAccessOnly = Switch(
        "Only papers with a free PDF.", to="query.openAccessPdf",
        theirs={True: "", False: None}, default=False,
    )  # fmt: skip

    @post_load
    def shorten(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return clamp_page(data, SEARCHED)


papers = Endpoint(
    name="scholar-search-papers", vendor=SCHOLAR, category="search", access=FREE_READ,
    summary="Search scholarly papers.",
    docs=f"{DOCS}/Paper-Data/operation/get_graph_paper_relevance_search",
    takes=PaperQuery, asks=get("/paper/search", query={"fields": PAPER_FIELDS}, limit=LARGEST),
    gives=Shape(
        TOTAL, nextOffset=next_offset(SEARCHED), papers=Each("data", PAPER, default=())
    ),
    examples=(example(
        {"query": "literature-graph", "year": "2016-2020", "fieldsOfStudy": ["Computer Science"],
         "publicationTypes": ["Review", "Conference"], "venue": "NAACL", "minCitations": 10,
         "openAccessOnly": True, "limit": 1},
        "GET /paper/search?query=literature%20graph&limit=1&offset=0&year=2016-2020"
        "&fieldsOfStudy=Computer%20Science&publicationTypes=Review,Conference&venue=NAACL"
        f"&minCitationCount=10&openAccessPdf=&fields={PAPER_FIELDS}",
        FOUND,
    ),),
)  # fmt: skip


class AuthorQuery(Parameters):
    query = Words(
        "The author's name.", most=200, to="query.query", theirs=without_hyphens, required=True
    )
    limit = Count("Number of authors.", least=1, most=1000, to="query.limit", default=10)
    offset = offset_of("Authors", LISTED, to="query.offset")

    @post_load
    def shorten(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return clamp_page(data, LISTED)


authors = Endpoint(
    name="scholar-search-authors", vendor=SCHOLAR, category="search", access=FREE_READ,
    summary="Search authors of scholarly papers by name.",
    docs=f"{DOCS}/Author-Data/operation/get_graph_get_author_search",
    takes=AuthorQuery, asks=get("/author/search", query={"fields": AUTHOR_FIELDS}, limit=LARGEST),
    gives=Shape(
        TOTAL, nextOffset=next_offset(LISTED), authors=Each("data", FOUND_AUTHOR, default=())
    ),
    examples=(example(
        {"query": "Oren Etzioni", "limit": 1},
        f"GET /author/search?query=Oren%20Etzioni&limit=1&offset=0&fields={AUTHOR_FIELDS}",
        FOUND_PEOPLE,
    ),),
)  # fmt: skip

ENDPOINTS = (papers, authors)
