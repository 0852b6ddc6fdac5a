"""How a model is asked to write about papers.

What stands in a paper and what a caller says go to the model as data (`Call.write`). Only values
that the schema bounds (a style, a tone, a language's code) stand in the system text.

Before the call the most that the model can cost is held, and its real cost is charged afterwards.
If the vendor or the model fails, or nothing is found to write about, the call fails and nothing is
charged: 404 `not_found` without a paper, 502 `upstream_provider_error` or 504 `upstream_timeout`
for the model's failure, 503 `not_configured` without a key of its provider.
"""

from collections.abc import Mapping
from typing import Any

from service.integrations.declare.fields import Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.shape import Maybe, Readable

CONTENTS = "texts of papers and words of a user"  # of what a model is given
Json = Mapping[str, Any]


def language() -> Words:
    return Words(
        "The language to write in, as a code such as `en` or `pt-BR`.",
        most=11, pattern="^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$", default="en",
    )  # fmt: skip


def material(paper: Json, characters: int) -> dict[str, Any]:
    """What a model is told of a paper: its abstract, or else the vendor's summary in a sentence."""
    names = Maybe(Readable("authors", "name")).read(paper, {})
    told = {
        "title": str(paper.get("title") or "")[:200],
        "year": paper.get("year"),
        "authors": [name[:100] for name in names[:5]],
        "text": source_text(paper)[:characters],
    }
    return {name: value for name, value in told.items() if value}


def source_text(paper: Json) -> str:
    """Some publishers allow no abstract; papers of some fields have no summary. Empty for both."""
    text = paper.get("abstract") or find(paper, "tldr.text") or ""
    return text if isinstance(text, str) else ""
