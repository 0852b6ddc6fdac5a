"""A summary of several papers, which a model writes from their abstracts.

`writing.py` describes holds, charges, and the answer if the model fails.
"""

import json
from collections.abc import Sequence
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Choice, Count, Parameters, Several, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.model_use import ModelUse
from service.integrations.declare.reading import as_list, as_object
from service.integrations.declare.request import get, post
from service.integrations.declare.shape import Bool, Each, Int, Made, Shape, Within
from service.integrations.vendors.semantic_scholar.searches import without_hyphens
from service.integrations.vendors.semantic_scholar.shapes import FOUND, GRAPH, ID, SOURCE
from service.integrations.vendors.semantic_scholar.vendor import (
    DOCS,
    SCHOLAR,
    paper_id,
    paper_words,
)
from service.integrations.vendors.semantic_scholar.writing import (
    CONTENTS,
    language,
    material,
    source_text,
)
from service.providers.tokens import bound
from service.web.errors import NotFound

FIELDS = "paperId,title,abstract,tldr,year,authors,url"
BATCH = post("/paper/batch", query={"fields": FIELDS}, repeatable=True)
SEARCH = get("/paper/search", query={"fields": FIELDS})
MODEL = ModelUse("llm-haiku-4-5", prompt_tokens=14_000, output_tokens=1200)
CHARACTERS = 12_000  # of all papers' texts, or as many as fit the prompt with their titles
ROOM = 300  # tokens of the prompt for its task

STYLES = {
    "bullets": "as a list of short points",
    "paragraph": "as one paragraph",
    "table": "as a Markdown table with a row for each paper",
}
TASK = (
    "You summarise scientific papers. Write {style}, in the language with the code `{language}`. "
    "Use only the texts of `papers`, and cite each as [n] by its `number`. If there is a `focus`, "
    "say what the papers say about it, or that they say nothing."
)
USAGE = Shape(inputTokens=Int("inputTokens"), outputTokens=Int("outputTokens"))
SUMMARISED = Shape(SOURCE, used=Made(Bool(""), lambda paper, values: bool(source_text(paper))))


class Papers(Parameters):
    paperIds = Several(
        paper_words(), "The papers, each as in `scholar-get-citation-details`.", least=1, most=20
    )
    query = Words("What to search papers for, if not `paperIds` names them.", most=500)
    limit = Count("Number of papers of a search.", least=1, most=20, default=5)
    focus = Words("What the summary is to be about.", most=500)
    style = Choice(*STYLES, about="The form of the summary.", default="bullets")
    language = language()

    @validates_schema
    def check_papers(self, data: dict[str, Any], **kwargs: Any) -> None:
        if ("paperIds" in data) == ("query" in data):
            raise ValidationError("Either paperIds or query must be there.", "paperIds")


def _summarise(
    call: Call,
    *,
    paper_ids: Sequence[str] = (),
    query: str | None = None,
    limit: int,
    focus: str | None = None,
    style: str,
    language: str,
) -> dict[str, Any]:
    if query:
        request = SEARCH.with_parts(query={"query": without_hyphens(query), "limit": limit})
        found = as_list(find(call.send(request), "data") or [])
    else:
        ids = [paper_id(one) for one in paper_ids]
        found = as_list(call.send(BATCH.with_parts(json={"ids": ids})))
    papers = [as_object(paper) for paper in found if paper is not None]
    sources = [SUMMARISED.read(paper) for paper in papers]
    named = zip(paper_ids, found, strict=False)
    task = TASK.format(style=STYLES[style], language=language)
    return {
        "summary": call.write(task, CONTENTS, _data(papers, focus)),
        "papers": [{"number": number, **one} for number, one in enumerate(sources, 1)],
        "missing": [one for one, paper in named if paper is None],
        "model": MODEL.model_id,
        "usage": call.model_usage,
    }


def _data(papers: Sequence[Any], focus: str | None) -> dict[str, Any]:
    """Return the data for the model. Raises `NotFound` if no paper has a text."""
    used = {number: one for number, one in enumerate(papers, 1) if source_text(one)}
    if not used:
        raise NotFound("None of these papers has a text to summarise.")
    share = CHARACTERS // len(used)
    while True:
        materials = [{"number": number, **material(one, share)} for number, one in used.items()]
        data = {**({"focus": focus} if focus else {}), "papers": materials}
        if not share or bound(json.dumps(data, ensure_ascii=False)) <= MODEL.prompt_tokens - ROOM:
            return data
        share = share * 9 // 10  # in other scripts than Latin


LOST = "CorpusId:1"
summarise = Endpoint(
    name="scholar-summarize-papers", vendor=SCHOLAR, category="search",
    summary="A summary of several papers, written by a language model from their abstracts.",
    docs=f"{DOCS}/Paper-Data/operation/post_graph_get_papers",
    seconds=120, model=MODEL, takes=Papers, run=_summarise,
    gives=Shape(
        summary="summary", missing=Each("missing"), model="model",
        usage=Within("usage", USAGE),
        papers=Each("papers", Shape(SUMMARISED, number=Int("number"))),
    ),
    examples=(Example({"paperIds": [ID, LOST], "focus": "scale", "style": "paragraph"}, (
        Exchange(
            f"POST /paper/batch?fields={FIELDS}", [GRAPH, None], body={"ids": [ID, LOST]},
        ),
    )), Example({"query": "literature-graph", "limit": 1}, (
        Exchange(
            f"GET /paper/search?query=literature%20graph&limit=1&fields={FIELDS}",
            FOUND,
        ),
    ))),
)  # fmt: skip

ENDPOINTS = (summarise,)
