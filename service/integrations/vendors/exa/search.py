"""Search, pages like a page, contents, and answers. Each is one request."""

from typing import Any
from urllib.parse import urlsplit

from service.integrations.call import Call
from service.integrations.catalog import endpoint
from service.integrations.shape import as_object, at, listed, need, picked, text
from service.integrations.vendors.exa.examples import ANSWERED, FOUND, READ
from service.integrations.vendors.exa.parameters import (
    UNFILTERED,
    Answer,
    Contents,
    Search,
    Similar,
)
from service.integrations.vendors.exa.prices import ANSWERS, CONTENTS, SEARCHES
from service.integrations.vendors.exa.vendor import DOCS, EXA

RESULT = {
    name: name
    for name in (
        "url", "id", "title", "publishedDate", "author", "image", "favicon", "text", "highlights",
        "summary",
    )
}  # fmt: skip
CITATION = {name: name for name in ("url", "title", "author", "publishedDate", "text")}
STATUS = {"url": "id", "status": "status", "error": "error.tag"}


@endpoint(
    "neuralsearch-search", EXA, Search(), "search", f"{DOCS}/search",
    examples=(FOUND,), credits=0.35, meter=SEARCHES,
)  # fmt: skip
def search(call: Call, **asked: Any) -> dict[str, Any]:
    """Web search by meaning."""
    return _found(call.post("/search", _searching(asked)))


@endpoint(
    "neuralsearch-find-similar", EXA, Similar(), "search", f"{DOCS}/search",
    examples=(FOUND,), credits=0.35, meter=SEARCHES,
)  # fmt: skip
def similar(call: Call, url: str, **asked: Any) -> dict[str, Any]:
    """Pages that are like a given one."""
    own = _host(url) if asked.pop("excludeSourceDomain") else None
    if own and asked.get("category") not in UNFILTERED:
        asked["excludeDomains"] = [*asked.get("excludeDomains", [])[:1199], own]
    body = _searching({"query": f"pages similar to {url}", **asked})
    found = _found(call.post("/search", body))
    others = [result for result in found["results"] if not own or _host(text(result, "url")) != own]
    return {"sourceUrl": url, **found, "results": others}


@endpoint(
    "neuralsearch-contents", EXA, Contents(), "search", f"{DOCS}/get-contents",
    examples=(READ,), credits=0.05, meter=CONTENTS,
)  # fmt: skip
def contents(call: Call, **asked: Any) -> dict[str, Any]:
    """The readable contents of pages; one that can't be read is told in `statuses`."""
    most = asked.pop("maxCharacters", None)
    if asked["text"] and most:
        asked["text"] = {"maxCharacters": most}
    for ours, theirs in (("highlightsQuery", "highlights"), ("summaryQuery", "summary")):
        if ours in asked:
            asked[theirs] = {"query": asked.pop(ours)}
    answer = as_object(call.post("/contents", asked))
    statuses = listed(at(answer, "statuses") or [])
    return {**_found(answer), "statuses": [picked(status, STATUS) for status in statuses]}


@endpoint(
    "neuralsearch-answer", EXA, Answer(), "search", f"{DOCS}/answer",
    examples=(ANSWERED,), credits=0.25, meter=ANSWERS, seconds=90,
)  # fmt: skip
def answer(call: Call, **asked: Any) -> dict[str, Any]:
    """A direct answer to a question, with its sources."""
    told = call.post("/answer", asked)
    citations = [picked(source, CITATION) for source in listed(at(told, "citations") or [])]
    return {"answer": need(told, "answer"), "citations": citations, **_facts(told)}


def _searching(asked: dict[str, Any]) -> dict[str, Any]:
    """The body of a search: what is wanted of each page stands under `contents`."""
    body = dict(asked)
    wanted = {name: body.pop(name) for name in ("text", "highlights")}
    if "summaryQuery" in body:
        wanted["summary"] = {"query": body.pop("summaryQuery")}
    if "maxAgeHours" in body:
        wanted["maxAgeHours"] = body.pop("maxAgeHours")
    return {**body, "contents": wanted}


def _found(answer: Any) -> dict[str, Any]:
    return {
        "results": [picked(page, RESULT) for page in listed(need(answer, "results"))],
        **_facts(answer),
    }


def _facts(answer: Any) -> dict[str, Any]:
    return {"requestId": at(answer, "requestId"), "costDollars": at(answer, "costDollars.total")}


def _host(url: str) -> str:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return ""  # a page that was found, at what is no URL to us
    return (host or "").removeprefix("www.")


ENDPOINTS = (search, similar, contents, answer)
