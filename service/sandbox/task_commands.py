"""The commands of the sandbox's assistant for tasks and notes, as tool calls."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

Call = tuple[str, dict[str, Any]]  # the name of a tool, and its input

NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
ADD = re.compile(
    r"\b(?:add|create|make)\b (?:me )?(?:(\d{1,2}|a|an|one|two|three|four|five) )?(?:new )?"
    r"(task|note)s?\b(?: (?:called|named))?:?(.*)",
    re.I | re.S,
)
LIST = re.compile(r"\b(?:list|show|which|what)\b.*\b(task|note)s\b", re.I)
DONE = re.compile(r"\b(?:mark|tick)\b (?:the )?(?:task )?(.+?) (?:as |off as )?done\b", re.I)
DELETE = re.compile(r"\b(?:delete|remove)\b (?:the |my )?(task|note)s?\b:?(.*)", re.I)
INSIDE = re.compile(r"\bwhat is in (?:my|the) ([a-z][\w -]*)\?", re.I)
ADD_OTHER = re.compile(r"\badd an? ([a-z][\w -]*):(.*)", re.I | re.S)
QUOTES = " \t\"'“”‘’.!?"


def first_calls(text: str) -> Iterator[Call]:
    """Yield the first calls for a message."""
    if match := ADD.search(text):
        for title in _titles(match[1] or "a", match[2].lower(), match[3]):
            yield "records.create", {"collection": f"{match[2].lower()}s", "data": {"title": title}}
    elif match := DONE.search(text):
        yield _search("task", match[1])
    elif match := DELETE.search(text):
        yield _search(match[1].lower(), match[2])
    elif match := LIST.search(text):
        yield "records.query", {"collection": f"{match[1].lower()}s"}
    elif match := INSIDE.search(text):
        yield "records.query", {"collection": _name(match[1])}
    elif match := ADD_OTHER.search(text):
        yield "schema.describe", {"collection": _plural(_name(match[1]))}


def _name(words: str) -> str:
    return words.strip().lower().replace(" ", "-")


def _plural(word: str) -> str:
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search(r"(s|x|ch|sh)$", word) else f"{word}s"


def _titles(count: str, kind: str, text: str) -> list[str]:
    parts = [part.strip(QUOTES) for part in re.split(r",|;|\n|\band\b", text)]
    number = NUMBERS.get(count.lower()) or int(count)
    return [title for title in parts if title] or [f"New {kind} {n + 1}" for n in range(number)]


def _search(kind: str, words: str) -> Call:
    title = {"contains": words.strip(QUOTES)}
    return "records.query", {"collection": f"{kind}s", "where": {"title": title}}


def follow_up(text: str, results: tuple[tuple[str, str], ...]) -> Iterator[Call]:
    """Yield the calls for the records, or for the collection, that the first call returned."""
    names = [name for name, _ in results]
    if names == ["schema.describe"] and (match := ADD_OTHER.search(text)):
        yield from _create_titled(results[0][1], match[2].strip(QUOTES))
    if names != ["records.query"]:
        return
    for record in _records(results[0][1]):
        if DONE.search(text):
            target = {"collection": "tasks", "recordId": record["recordId"]}
            yield "records.update", {**target, "data": {"done": True}}
        elif (match := DELETE.search(text)) and match[2].strip(QUOTES):
            kind = f"{match[1].lower()}s"
            yield "records.delete", {"collection": kind, "recordId": record["recordId"]}


def _create_titled(result: str, title: str) -> Iterator[Call]:
    """Yield the creation of a record, with its title in the most suitable text column."""
    try:
        described = json.loads(result)
        columns = [
            column
            for column in described["columns"]
            if column["type"] == "string" and not column["readOnly"]
        ]
    except (ValueError, KeyError, TypeError):
        return
    columns.sort(key=lambda c: (not c["required"], c["name"] not in ("title", "name")))
    for column in columns[:1]:
        data = {column["name"]: title}
        yield "records.create", {"collection": described["name"], "data": data}


def _records(result: str) -> list[dict[str, Any]]:
    try:
        records: list[dict[str, Any]] = json.loads(result)["records"][:10]
    except (ValueError, KeyError, TypeError):
        return []
    return records


def _title(record: dict[str, Any]) -> str:
    data = record["data"]
    return f"“{data.get('title') or data.get('name') or record['recordId']}”"


def _list_sentence(page: dict[str, Any]) -> str:
    titles = ", ".join(map(_title, page["records"]))
    return f"I found {len(page['records'])}: {titles}." if titles else "I found none."


RECORD_SENTENCES: dict[str, Callable[[Any], str]] = {
    "records.query": _list_sentence,
    "records.get": lambda r: f"There it is: {_title(r)}.",
    "records.create": lambda r: f"I have added {_title(r)}.",
    "records.update": lambda r: f"I have changed {_title(r)}.",
    "records.delete": lambda r: "It is deleted.",
}
