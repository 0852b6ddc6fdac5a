"""What the sandbox's assistant does with tasks and notes: which tools to call for which words."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

Call = tuple[str, dict[str, Any]]

NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
ADD = re.compile(
    r"\b(?:add|create|make)\b (?:me )?(?:(\d{1,2}|a|an|one|two|three|four|five) )?(?:new )?"
    r"(task|note)s?\b(?: (?:called|named))?:?(.*)",
    re.I | re.S,
)
LIST = re.compile(r"\b(?:list|show|which|what)\b.*\b(task|note)s\b", re.I)
DONE = re.compile(r"\b(?:mark|tick)\b (?:the )?(?:task )?(.+?) (?:as |off as )?done\b", re.I)
DELETE = re.compile(r"\b(?:delete|remove)\b (?:the |my )?(task|note)s?\b:?(.*)", re.I)
QUOTES = " \t\"'“”‘’.!?"


def first_calls(text: str) -> Iterator[Call]:
    """The calls to begin with."""
    if found := ADD.search(text):
        for title in _titles(found[1] or "a", found[2].lower(), found[3]):
            yield "records.create", {"collection": f"{found[2].lower()}s", "data": {"title": title}}
    elif found := DONE.search(text):
        yield _search("task", found[1])
    elif found := DELETE.search(text):
        yield _search(found[1].lower(), found[2])
    elif found := LIST.search(text):
        yield "records.query", {"collection": f"{found[1].lower()}s"}


def _titles(count: str, kind: str, listed: str) -> list[str]:
    named = [part.strip(QUOTES) for part in re.split(r",|;|\n|\band\b", listed)]
    number = NUMBERS.get(count.lower()) or int(count)
    return [title for title in named if title] or [f"New {kind} {n + 1}" for n in range(number)]


def _search(kind: str, words: str) -> Call:
    title = {"contains": words.strip(QUOTES)}
    return "records.query", {"collection": f"{kind}s", "where": {"title": title}}


def follow_up(text: str, results: tuple[tuple[str, str], ...]) -> Iterator[Call]:
    """What to do with the records that were looked up, once they are there."""
    if [name for name, _ in results] != ["records.query"]:
        return
    for record in _records(results[0][1]):
        if DONE.search(text):
            target = {"collection": "tasks", "recordId": record["recordId"]}
            yield "records.update", {**target, "data": {"done": True}}
        elif (found := DELETE.search(text)) and found[2].strip(QUOTES):
            kind = f"{found[1].lower()}s"
            yield "records.delete", {"collection": kind, "recordId": record["recordId"]}


def _records(result: str) -> list[dict[str, Any]]:
    try:
        return json.loads(result)["records"][:10]
    except (ValueError, KeyError, TypeError):
        return []


def _title(record: dict[str, Any]) -> str:
    return f"“{record['data'].get('title', record['recordId'])}”"


def _listed(page: dict[str, Any]) -> str:
    titles = ", ".join(map(_title, page["records"]))
    return f"I found {len(page['records'])}: {titles}." if titles else "I found none."


RECORD_SENTENCES: dict[str, Callable[[Any], str]] = {
    "records.query": _listed,
    "records.get": lambda r: f"There it is: {_title(r)}.",
    "records.create": lambda r: f"I have added {_title(r)}.",
    "records.update": lambda r: f"I have changed {_title(r)}.",
    "records.delete": lambda r: "It is deleted.",
}
