"""Ask a model to write about papers.

The texts of papers and the caller's words are sent to the model as data (`Call.write`). The system
text contains only values that the schema limits (a style, a tone, a language's code).

Before the call the most that the model can cost is held, and its real cost is charged afterwards.
If the vendor or the model fails, or no paper is found, the call fails and nothing is charged: 404
`not_found` without a paper, 502 `upstream_provider_error` or 504 `upstream_timeout` for the model's
failure, 503 `not_configured` without a key of its provider.
"""

from collections.abc import Mapping
from typing import Any

from service.integrations.declare.fields import Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.shape import Maybe, Readable

CONTENTS = "texts of papers and words of a user"  # describes the data to a model
Json = Mapping[str, Any]


def language() -> Words:
    return Words(
        "The language to write in, as a code such as `en` or `pt-BR`.",
        most=11, pattern="^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$", default="en",
    )  # fmt: skip


def material(paper: Json, characters: int) -> dict[str, Any]:
    """Return the facts of a paper for a model, with its abstract, or the vendor's short summary."""
    names = Maybe(Readable("authors", "name")).read(paper, {})
    facts = {
        "title": str(paper.get("title") or "")[:200],
        "year": paper.get("year"),
        "authors": [name[:100] for name in names[:5]],
        "text": source_text(paper)[:characters],
    }
    return {name: value for name, value in facts.items() if value}


def source_text(paper: Json) -> str:
    """Return the abstract or the summary of a paper, or "".

    Some publishers allow no abstract, and papers of some fields have no summary.
    """
    text = paper.get("abstract") or find(paper, "tldr.text") or ""
    return text if isinstance(text, str) else ""
