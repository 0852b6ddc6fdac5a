"""The sandbox's assistant: a few rules instead of a model. It really calls the tools it is given.

It knows nothing of wires: it sees what was asked and what its tools have answered so far, and
says either some text or which tools to call next.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from service.sandbox.errands import RECORD_SENTENCES, first_calls, follow_up

Calls = tuple[tuple[str, dict[str, Any]], ...]

HELP = (
    "I am the sandbox's assistant, a handful of rules in place of a model. Ask me which "
    "collections there are, who you are, or to describe a collection; tell me to remember that "
    "something is something, to count to a number, or to repeat after me: any text. I keep your "
    "tasks and notes: add three tasks, list my tasks, mark one as done, delete the note …"
)


@dataclass(frozen=True)
class Asked:
    """`earlier` are the user's messages before this one, `results` this turn's tool results."""

    text: str
    earlier: tuple[str, ...] = ()
    results: tuple[tuple[str, str], ...] = ()
    tools: frozenset[str] = frozenset()
    may_call: bool = True


@dataclass(frozen=True)
class Reply:
    text: str = ""
    calls: Calls = ()


def reply(asked: Asked) -> Reply:
    """What to say or to call next."""
    if asked.text.startswith(SUMMARIZE):
        return Reply(_summary(asked.text))
    wanted = tuple(_wanted_calls(asked.text))
    if re.search(r"never stop calling", asked.text, re.I):
        wanted = (("schema.list", {}),)
    elif asked.results:
        wanted = tuple(follow_up(asked.text, asked.results))
    calls = tuple(call for call in wanted if call[0] in asked.tools)
    if calls and asked.may_call:
        return Reply(calls=calls)
    if wanted and not asked.may_call:
        return Reply("I have called enough tools for one answer.")
    if wanted:
        return Reply(f"I would need a tool that I am not given: {wanted[0][0]}.")
    if asked.results:
        return Reply(" ".join(_told(name, result) for name, result in asked.results))
    return Reply(_talk(asked))


def _wanted_calls(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if re.search(r"\b(which|what|list)\b.*\bcollections\b", text, re.I):
        yield "schema.list", {}
    if re.search(r"\bwho am i\b", text, re.I):
        yield "user.current", {}
    if found := re.search(r"\bdescribe (?:the )?(?:collection )?([\w-]+)", text, re.I):
        yield "schema.describe", {"collection": found[1]}
    if re.search(r"\binvalid input\b", text, re.I):
        yield "schema.describe", {"name": 5}
    yield from first_calls(text)
    if found := re.search(r"\bcall ([\w.-]+) with (\{.*\})", text, re.S):
        yield found[1], json.loads(found[2])


def _told(name: str, result: str) -> str:
    """A tool's result in a sentence; an error as it stands."""
    try:
        answer = json.loads(result)
        return SENTENCES[name](answer)
    except (ValueError, KeyError, TypeError):
        return f"{name} said: {result}"


SENTENCES: dict[str, Callable[[Any], str]] = {
    "schema.list": lambda r: (
        f"There are {len(r['collections'])} collections that you may read: "
        f"{', '.join(r['collections'])}."
    ),
    "user.current": lambda r: f"You are {r['recordId']}.",
    "schema.describe": lambda r: (
        f"{r['name']} has the columns {', '.join(column['name'] for column in r['columns'])}."
    ),
    **RECORD_SENTENCES,
}


def _talk(asked: Asked) -> str:
    text = asked.text
    if found := re.search(r"repeat after me: ?(.*)", text, re.I | re.S):
        return found[1]
    if found := re.search(r"count to (\d{1,5})", text, re.I):
        return " ".join(str(number) for number in range(1, int(found[1]) + 1))
    if found := re.search(r"\bwhat (?:is|was) (.+?)\?", text, re.I):
        return _recall(found[1], asked.earlier)
    if found := REMEMBER.search(text):
        return f"I will remember that {found[1]} is {found[2]}."
    return HELP


REMEMBER = re.compile(r"\bremember that (.+?) is ([^.\n]+)", re.I)


SUMMARIZE = "Summarize this conversation:"


def _summary(text: str) -> str:
    """Of all that was said, what was to be remembered."""
    facts = [f"remember that {f[1]} is {f[2]}." for f in REMEMBER.finditer(text)]
    return " ".join(["The user has asked me things.", *dict.fromkeys(facts)])


def _recall(thing: str, earlier: tuple[str, ...]) -> str:
    """The newest thing the user asked to remember under this name."""
    for text in reversed(earlier):
        for found in REMEMBER.finditer(text):
            if found[1].lower() == thing.lower():
                return f"{found[1]} is {found[2]}."
    return f"You have not told me what {thing} is."
