"""A paper's record, and the papers that cite it or that it cites."""

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, post_load, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.faults import not_found
from service.integrations.declare.fields import Choice, Count, Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_list, as_object
from service.integrations.declare.request import Template, get
from service.integrations.declare.shape import Bool, Each, Int, Maybe, Readable, Shape, Within
from service.integrations.vendors.semantic_scholar.paging import (
    LISTED,
    clamp_page,
    next_offset,
    offset_of,
)
from service.integrations.vendors.semantic_scholar.shapes import (
    CITED,
    GRAPH,
    ID,
    MATCHED,
    PAPER,
    PAPER_FIELDS,
    TITLE,
)
from service.integrations.vendors.semantic_scholar.vendor import (
    DOCS,
    LARGEST,
    SCHOLAR,
    paper_id,
    paper_words,
)

RECORD_FIELDS = f"{PAPER_FIELDS},citationStyles"
PAPER_NAMES = ("paperId", "title", "year", "authors", "venue", "citationCount", "url")


def _fields(paper: str) -> str:
    """Return the fields of a citation whose other paper has this name."""
    return ",".join(["contexts,intents,isInfluential", *(f"{paper}.{one}" for one in PAPER_NAMES)])


RECORD = get("/paper/{id}", query={"fields": RECORD_FIELDS})
MATCH = get("/paper/search/match", query={"fields": RECORD_FIELDS})
CITING_FIELDS, CITED_FIELDS = _fields("citingPaper"), _fields("citedPaper")
VIEWS: dict[str, tuple[str, Template]] = {
    "citing": (
        "citingPaper",
        get("/paper/{id}/citations", query={"fields": CITING_FIELDS}, limit=LARGEST),
    ),
    "references": (
        "citedPaper",
        get("/paper/{id}/references", query={"fields": CITED_FIELDS}, limit=LARGEST),
    ),
}


def _citation(paper: str) -> Shape:
    return Shape(
        paper=Within(paper, CITED), contexts=Maybe(Readable("contexts")),
        intents=Maybe(Readable("intents")), isInfluential=Maybe(Bool("isInfluential")),
    )  # fmt: skip


class Paper(Parameters):
    paperId = paper_words("The paper, if not `title` names it")
    title = Words("The paper's title.", most=500)
    view = Choice(
        "details", "citing", "references",
        about="Its record, the papers that cite it, or those that it cites.", default="details",
    )  # fmt: skip
    limit = Count("Number of citations.", least=1, most=1000, default=20)
    offset = offset_of("Citations", LISTED)

    @validates_schema
    def check_paper(self, data: dict[str, Any], **kwargs: Any) -> None:
        if ("paperId" in data) == ("title" in data):
            raise ValidationError("Either paperId or title must be there.", "paperId")

    @post_load
    def shorten(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return clamp_page(data, LISTED)


def find_best_match(call: Call, template: Template, title: str) -> Mapping[str, Any]:
    """Return the paper whose title fits best. Raises `NotFound`, as for the vendor's own 404."""
    papers = as_list(find(call.send(template.with_parts(query={"query": title})), "data"))
    if not papers:
        raise not_found()
    return as_object(papers[0])


def _citations(
    call: Call,
    *,
    paper_id: str | None = None,
    title: str | None = None,
    view: str,
    limit: int,
    offset: int,
) -> dict[str, Any]:
    record = find_best_match(call, MATCH, title) if title else None
    found = _id(record, paper_id)
    answer: dict[str, Any] = {}
    if view in VIEWS:
        name, template = VIEWS[view]
        part = {"limit": limit, "offset": offset}
        answer = call.send(template.with_parts(path={"id": found}, query=part))
        citations = Each("data", _citation(name), default=())
    elif record is None:
        record = as_object(call.send(RECORD.with_parts(path={"id": found})))
    return {
        "paper": PAPER.read(record) if record is not None else None,
        "bibtex": Maybe("citationStyles.bibtex").read(record, {}),
        "citations": citations.read(as_object(answer), {}) if view in VIEWS else [],
        "nextOffset": next_offset(LISTED).read(answer, {}),
    }


def _id(record: Mapping[str, Any] | None, named: str | None) -> str:
    return paper_id(named) if named else str(PAPER.read(record)["id"])


CITATION = {"contexts": ["as in (Ammar et al., 2018)"], "intents": ["methodology"],
            "isInfluential": True}  # fmt: skip
OTHER = {
    "paperId": "5e98fe2163640da8ab9695b9ee9c433bb30f5353", "title": "SciBERT", "year": 2019,
    "authors": [{"authorId": "46181066", "name": "Iz Beltagy"}], "venue": "EMNLP",
    "citationCount": 3000, "url": "https://www.semanticscholar.org/paper/5e98fe21",
}  # fmt: skip

details = Endpoint(
    name="scholar-get-citation-details", vendor=SCHOLAR, category="search", access=FREE_READ,
    summary="A paper's record with its BibTeX, or the papers that cite it or that it cites.",
    docs=f"{DOCS}/Paper-Data/operation/get_graph_get_paper_citations",
    takes=Paper, run=_citations,
    gives=Shape(
        paper=Maybe(Within("paper", PAPER)), bibtex=Maybe("bibtex"),
        citations=Each("citations", _citation("paper")), nextOffset=Maybe(Int("nextOffset")),
    ),
    examples=(Example({"paperId": "10.18653/v1/N18-3011"}, (
        Exchange(
            f"GET /paper/DOI%3A10.18653%2Fv1%2FN18-3011?fields={RECORD_FIELDS}", GRAPH,
            serves="/paper/{id}",
        ),
    )), Example({"title": TITLE, "view": "citing", "limit": 1}, (
        Exchange(
            f"GET /paper/search/match?query={TITLE}&fields={RECORD_FIELDS}",
            MATCHED,
        ),
        Exchange(
            f"GET /paper/{ID}/citations?limit=1&offset=0&fields={CITING_FIELDS}",
            {"offset": 0, "next": 1, "data": [{**CITATION, "citingPaper": OTHER}]},
            serves="/paper/{id}/citations",
        ),
    )), Example({"paperId": "arXiv:1805.02262v1", "view": "references", "offset": 1}, (
        Exchange(
            f"GET /paper/ARXIV%3A1805.02262/references?limit=20&offset=1&fields={CITED_FIELDS}",
            {"offset": 1, "data": [{**CITATION, "citedPaper": OTHER}]},
            serves="/paper/{id}/references",
        ),
    ))),
)  # fmt: skip

ENDPOINTS = (details,)
