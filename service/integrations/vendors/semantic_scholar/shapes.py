"""The shapes of papers and authors, and the fields that are requested for them."""

import re
from typing import Any

from service.integrations.declare.json_paths import find
from service.integrations.declare.shape import Int, Made, Maybe, Readable, Shape, Values

COUNT = re.compile("[0-9]{1,15}")


def count_of(path: str) -> Made:
    """Read a whole number or null. The vendor describes some as texts, with numbers as examples.

    Source: AuthorInPaper and PaperRelevanceSearchBatch of the Graph API's description.
    """

    def read(item: Any, values: Values) -> int | None:
        value = find(item, path)
        if isinstance(value, str) and COUNT.fullmatch(value):
            return int(value)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    return Made(Maybe(Int("")), read)


def _pdf(paper: Any, values: Values) -> str | None:
    """Return the address of a free PDF, which is an empty text for a paper behind a paywall."""
    url = find(paper, "openAccessPdf.url")
    return url if isinstance(url, str) and url else None


AUTHOR = Shape(name="name", id=Maybe("authorId"))
CITED = Shape(
    title=Maybe("title"), id=Maybe("paperId"), year=Maybe(Int("year")),
    authors=Maybe(Readable("authors", AUTHOR)), venue=Maybe("venue"),
    citationCount=Maybe(Int("citationCount")), url=Maybe("url"),
)  # fmt: skip
PAPER = Shape(
    id="paperId", title=Maybe("title"), abstract=Maybe("abstract"), tldr=Maybe("tldr.text"),
    authors=Maybe(Readable("authors", AUTHOR)), year=Maybe(Int("year")),
    publicationDate=Maybe("publicationDate"), venue=Maybe("venue"),
    doi=Maybe("externalIds.DOI"), arxivId=Maybe("externalIds.ArXiv"),
    citationCount=Maybe(Int("citationCount")),
    influentialCitationCount=Maybe(Int("influentialCitationCount")),
    referenceCount=Maybe(Int("referenceCount")), openAccessPdf=Made(Maybe(""), _pdf),
    url=Maybe("url"),
)  # fmt: skip
PAPER_FIELDS = (
    "paperId,externalIds,url,title,abstract,venue,year,publicationDate,citationCount,"
    "influentialCitationCount,referenceCount,openAccessPdf,tldr,authors"
)
SOURCE = Shape(id="paperId", title=Maybe("title"), year=Maybe(Int("year")), url=Maybe("url"))

ID = "649def34f8be52c8b66281af98ae884c09aef38b"
TITLE = "Construction of the Literature Graph in Semantic Scholar"
PERSON: dict[str, Any] = {
    "authorId": "1741101", "name": "Oren Etzioni", "affiliations": ["Allen Institute for AI"],
    "homepage": "https://allenai.org/", "paperCount": 340, "citationCount": 65000, "hIndex": 110,
    "url": "https://www.semanticscholar.org/author/1741101",
    "externalIds": {"DBLP": ["Oren Etzioni"], "ORCID": "0000-0002-1825-0097"},
}  # fmt: skip
GRAPH: dict[str, Any] = {
    "paperId": ID, "externalIds": {"DOI": "10.18653/v1/N18-3011", "ArXiv": "1805.02262"},
    "url": f"https://www.semanticscholar.org/paper/{ID}", "title": TITLE,
    "abstract": "We describe a deployed scalable system for organizing published literature.",
    "venue": "NAACL", "year": 2018, "publicationDate": "2018-05-06", "citationCount": 453,
    "influentialCitationCount": 90, "referenceCount": 59,
    "openAccessPdf": {"url": "https://www.aclweb.org/anthology/N18-3011.pdf", "status": "HYBRID"},
    "tldr": {"model": "tldr@v2.0.0", "text": "This paper reduces graph construction to NLP."},
    "citationStyles": {"bibtex": "@Article{Ammar2018ConstructionOT,\n year = {2018}\n}"},
    "authors": [
        {name: PERSON[name] for name in ("authorId", "name", "affiliations")},
    ],
}  # fmt: skip
# The answers of examples; several endpoints make the same request.
FOUND = {"total": 15117, "offset": 0, "next": 10, "data": [GRAPH]}
FOUND_PEOPLE = {"total": 490, "offset": 0, "next": 10, "data": [PERSON]}
MATCHED = {"data": [{**GRAPH, "matchScore": 174.2}]}
