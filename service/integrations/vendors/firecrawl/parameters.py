"""Parameters that several endpoints of Firecrawl take."""

from collections.abc import Iterable
from typing import Any

from service.integrations.declare.fields import Choice, Count, Several, Words

NAMES = ["markdown", "summary", "html", "rawHtml", "links"]
DOMAIN = r"^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$"


def as_objects(names: Iterable[str]) -> list[dict[str, Any]]:
    """Return names in the form of Firecrawl's objects."""
    return [{"type": name} for name in names]


def pdf(pages: int) -> list[dict[str, Any]]:
    """Return the parser of PDFs, of which each page costs a credit."""
    return [{"type": "pdf", "maxPages": pages}]


def format_list(*names: str, to: str) -> Several:
    return Several(
        Choice(*names), "What to return of each page.",
        least=1, most=len(names), to=to, theirs=as_objects, default=["markdown"],
    )  # fmt: skip


def pdf_pages(to: str, default: int) -> Count:
    about = "Pages to read of a PDF; each costs as much as a page of the web."
    return Count(about, least=1, most=100, to=to, theirs=pdf, default=default)


def tags(about: str, to: str) -> Several:
    return Several(Words(least=1, most=200), about, least=1, most=50, to=to)


def domains(about: str, to: str) -> Several:
    return Several(Words(least=4, most=253, pattern=DOMAIN), about, least=1, most=50, to=to)
