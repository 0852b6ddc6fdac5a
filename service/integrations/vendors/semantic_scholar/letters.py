"""A draft of an e-mail to a paper's author, which a model writes. Nothing is sent.

`writing.py` describes holds, charges, and the answer if the model fails.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.faults import not_found
from service.integrations.declare.fields import Choice, Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.model_use import ModelUse
from service.integrations.declare.reading import as_object, objects
from service.integrations.declare.request import get
from service.integrations.declare.shape import Maybe, Readable, Shape, Within
from service.integrations.vendors.semantic_scholar.citations import find_best_match
from service.integrations.vendors.semantic_scholar.searches import without_hyphens
from service.integrations.vendors.semantic_scholar.shapes import (
    FOUND_PEOPLE,
    GRAPH,
    MATCHED,
    SOURCE,
    TITLE,
)
from service.integrations.vendors.semantic_scholar.vendor import (
    DOCS,
    SCHOLAR,
    paper_id,
    paper_words,
)
from service.integrations.vendors.semantic_scholar.writing import CONTENTS, language, material
from service.web.errors import NotFound

OWN = "paperId,title,abstract,year,venue,url"  # a list of an author's papers takes no `tldr`
FIELDS = f"{OWN},tldr,authors.authorId,authors.name,authors.affiliations"
RECORD = get("/paper/{id}", query={"fields": FIELDS})
MATCH = get("/paper/search/match", query={"fields": FIELDS})
PEOPLE = get("/author/search", query={"fields": "authorId,name,affiliations", "limit": 1})
PAPERS = get("/author/{id}/papers", query={"fields": OWN, "limit": 3})
MODEL = ModelUse("llm-haiku-4-5", prompt_tokens=8000, output_tokens=1000)
CHARACTERS = 2000  # of each paper's text

TONES = {"formal": "formal", "friendly": "friendly", "concise": "short and plain"}
TASK = (
    "You draft an e-mail from `sender` to `recipient`, an author of `papers`. `purpose` says what "
    "it is for. The tone is {tone}; the language has the code `{language}`. The first line is "
    "`Subject: ` with the subject, then comes an empty line, then the text. Say nothing of the "
    "sender that is not in `sender`."
)


class Letter(Parameters):
    paperId = paper_words("The paper that the e-mail is about")
    paperTitle = Words("The paper's title, if there is no `paperId`.", most=500)
    authorName = Words(
        "Which of the paper's authors to write to; without a paper, whose papers to look for.",
        most=200,
    )
    purpose = Words("What the e-mail is for.", most=2000, required=True)
    senderName = Words("Who writes.", most=200)
    senderBackground = Words("What the author should know of the sender.", most=2000)
    tone = Choice(*TONES, about="The tone of the e-mail.", default="formal")
    language = language()

    @validates_schema
    def check_addressee(self, data: dict[str, Any], **kwargs: Any) -> None:
        if not data.keys() & {"paperId", "paperTitle", "authorName"}:
            raise ValidationError("paperId, paperTitle or authorName must be there.", "paperId")


RECIPIENT = Shape(name="name", affiliation=Maybe("affiliations.0"))
AUTHORS = Maybe(Readable("authors", RECIPIENT))


def _draft(
    call: Call,
    *,
    paper_id: str | None = None,
    paper_title: str | None = None,
    author_name: str | None = None,
    purpose: str,
    sender_name: str | None = None,
    sender_background: str | None = None,
    tone: str,
    language: str,
) -> dict[str, Any]:
    papers, recipient = _addressee(call, paper_id, paper_title, author_name)
    paper = SOURCE.read(papers[0])  # read before the model is paid
    sender = {"name": sender_name, "background": sender_background}
    data = {
        "purpose": purpose,
        "sender": {name: value for name, value in sender.items() if value},
        "recipient": recipient,
        "papers": [material(paper, CHARACTERS) for paper in papers],
    }
    task = TASK.format(tone=TONES[tone], language=language)
    text = call.write(task, CONTENTS, data)
    subject, body = _parts(text, paper["title"] or recipient["name"])
    facts = {"recipient": recipient, "paper": paper, "model": MODEL.model_id}
    return {"subject": subject, "body": body, **facts}


def _addressee(
    call: Call, named_id: str | None, title: str | None, author: str | None
) -> tuple[Sequence[Mapping[str, Any]], dict[str, Any]]:
    """Return papers, of which the first is the subject, and the author. Raises `NotFound`."""
    if named_id:
        path = {"id": paper_id(named_id)}
        paper = as_object(call.send(RECORD.with_parts(path=path)))
        return [paper], _author(paper, author)
    if title:
        paper = find_best_match(call, MATCH, title)
        return [paper], _author(paper, author)
    return _papers_of(call, author or "")


def _author(paper: Mapping[str, Any], name: str | None) -> dict[str, Any]:
    """Return the author of this name, or the first one. Raises `NotFound`."""
    authors: list[dict[str, Any]] = AUTHORS.read(paper, {})
    fitting = [one for one in authors if name is None or _is_same(one["name"], name)]
    if not fitting:
        raise NotFound("The paper has no author of this name.")
    return fitting[0]


def _is_same(name: str, other: str) -> bool:
    """Return whether the last names and the first initials are the same."""
    ours, theirs = name.casefold().split(), other.casefold().split()
    if not ours or not theirs:
        return False
    return ours[-1] == theirs[-1] and (len(theirs) == 1 or ours[0][0] == theirs[0][0])


def _papers_of(call: Call, name: str) -> tuple[Sequence[Mapping[str, Any]], dict[str, Any]]:
    """Return some papers of the author whose name fits best. Raises `NotFound`."""
    people = objects(
        find(call.send(PEOPLE.with_parts(query={"query": without_hyphens(name)})), "data") or []
    )
    author_id = find(people, "0.authorId")
    if not isinstance(author_id, str):
        raise not_found()
    papers = objects(find(call.send(PAPERS.with_parts(path={"id": author_id})), "data") or [])
    if not papers:
        raise not_found()
    return papers, RECIPIENT.read(people[0])


def _parts(text: str, otherwise: str) -> tuple[str, str]:
    """Return the subject and the body of the model's text. `otherwise` is a default subject."""
    first, _, rest = text.partition("\n")
    label, _, subject = first.partition(":")
    if label.strip("* ").casefold() == "subject" and subject.strip("* ") and rest.strip():
        return subject.strip("* "), rest.strip()
    return otherwise, text


ABOUT = {"purpose": "Ask for the data set."}
draft = Endpoint(
    name="scholar-draft-email", vendor=SCHOLAR, category="search",
    summary="A draft of an e-mail to a paper's author, written by a language model.",
    docs=f"{DOCS}/Paper-Data/operation/get_graph_get_paper",
    seconds=120, model=MODEL, takes=Letter, run=_draft,
    gives=Shape(
        subject="subject", body="body", recipient=Within("recipient", RECIPIENT),
        paper=Within("paper", SOURCE), model="model",
    ),
    examples=(Example({**ABOUT, "paperId": "arXiv:1805.02262", "authorName": "O. Etzioni"}, (
        Exchange(
            f"GET /paper/ARXIV%3A1805.02262?fields={FIELDS}", GRAPH, serves="/paper/{id}"
        ),
    )), Example({
        **ABOUT, "paperTitle": TITLE, "senderName": "Ada", "senderBackground": "A student.",
    }, (
        Exchange(f"GET /paper/search/match?query={TITLE}&fields={FIELDS}", MATCHED),
    )), Example({**ABOUT, "authorName": "Oren Etzioni"}, (
        Exchange(
            "GET /author/search?query=Oren%20Etzioni&limit=1&fields=authorId,name,affiliations",
            FOUND_PEOPLE,
        ),
        Exchange(
            f"GET /author/1741101/papers?limit=3&fields={OWN}", {"offset": 0, "data": [GRAPH]},
            serves="/author/{id}/papers",
        ),
    ))),
)  # fmt: skip

ENDPOINTS = (draft,)
