"""The sandbox's assistant: a few rules in place of a model, which call the real tools.

It does not depend on the wires: from the user's messages and this turn's tool results it makes
either a text or the next tool calls.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from service.sandbox import arranging, mailing, questions, task_commands, writing
from service.sandbox.task_commands import RECORD_SENTENCES, Call

Calls = tuple[Call, ...]

# Characters of a message that are searched for questions and commands. The time of a search grows
# with the square of the length: 100,000 characters could stop a worker for some seconds.
SEARCHED = 4000
KEEP = re.compile(r"\bremember that", re.I)
SAY = re.compile(r"\brepeat after me: ?(.*)", re.I | re.S)
CALL = re.compile(r"\bcall ([\w.-]+) with (\{.*\})", re.S)
NOT_JSON = "I can't call {} with that: it is not JSON."
HELP = (
    "I am the sandbox's assistant, a handful of rules in place of a model. Ask me which "
    "collections there are, who you are, or to describe a collection; tell me to remember that "
    "something is something, to count to a number, or to repeat after me: any text. I keep your "
    "tasks and notes: add three tasks, list my tasks, mark one as done, delete the note … And I "
    "arrange widgets: show me the weather where my first contact lives. "
    "Ask about the world: what is the weather in Berlin? Search the web for … Draw me … "
    "Or say: mail my first contact the weather in Berlin."
)


@dataclass(frozen=True)
class AssistantInput:
    """The input for a reply: `earlier` messages of the user, and `results` of this turn's tools."""

    text: str
    earlier: tuple[str, ...] = ()
    results: tuple[tuple[str, str], ...] = ()
    tools: frozenset[str] = frozenset()
    may_call: bool = True

    @property
    def beginning(self) -> str:
        """The part of the text that is searched for questions and commands."""
        return self.text[:SEARCHED]


@dataclass(frozen=True)
class AssistantReply:
    text: str = ""
    calls: Calls = ()


def reply(received: AssistantInput) -> AssistantReply:
    """Return a text, or the tools to call next."""
    if received.text.startswith(SUMMARIZE):
        return AssistantReply(_summary(received.text))
    if not received.tools and (text := writing.write_text(received.text)):
        return AssistantReply(text)
    commands, stated = _commands(received.text)
    planned = (*_first_calls(commands), *stated) or tuple(_question(commands))
    if re.search(r"never stop calling", received.text, re.I):
        planned = (("schema.list", {}),)
    elif received.results:
        planned = tuple(_next_calls(commands, received.results))
    calls = tuple(call for call in planned if call[0] in received.tools)
    if calls and received.may_call:
        return AssistantReply(calls=calls)
    if planned and not received.may_call:
        return AssistantReply("I have called enough tools for one answer.")
    if planned:
        return AssistantReply(f"I would need a tool that is not available: {planned[0][0]}.")
    if received.results:
        return AssistantReply(_answer_text(received.beginning, received.results))
    return AssistantReply(_text(received))


def _commands(text: str) -> tuple[str, Calls]:
    """Return the message without quoted parts, and the call that it states with a tool and input.

    The words of a stated call, or of a text to repeat, are not commands.
    """
    stated: Calls = ()
    text = SAY.sub("", text)
    if match := CALL.search(text):
        with suppress(ValueError, RecursionError):
            stated = ((match[1], json.loads(match[2])),)
            text = text.replace(match[0], "")
    return text[:SEARCHED], stated


def _first_calls(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if re.search(r"\b(which|what|list)\b.*\bcollections\b", text, re.I):
        yield "schema.list", {}
    if re.search(r"\bwho am i\b", text, re.I):
        yield "user.current", {}
    if match := re.search(r"\bdescribe (?:the )?(?:collection )?([\w-]+)", text, re.I):
        yield "schema.describe", {"collection": match[1]}
    if match := re.search(r"\bendpoints\b.* for ([^\W_][\w ]*)", text, re.I):
        yield "integrations.find", {"query": match[1]}
    if re.search(r"\binvalid input\b", text, re.I):
        yield "schema.describe", {"name": 5}
    yield from task_commands.first_calls(text)
    yield from arranging.first_calls(text)
    yield from mailing.first_calls(text)


def _question(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the call for a question, unless the message only asks to remember something."""
    if not KEEP.search(text):
        yield from questions.first_calls(text)


def _next_calls(
    text: str, results: tuple[tuple[str, str], ...]
) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from task_commands.follow_up(text, results)
    yield from arranging.follow_up(text, results)
    yield from mailing.follow_up(text, results)


def _answer_text(text: str, results: tuple[tuple[str, str], ...]) -> str:
    answer = arranging.sentence(text, results) or questions.sentence(text, results)
    return answer or " ".join(_sentence(name, result) for name, result in results)


def _sentence(name: str, result: str) -> str:
    """Return a tool's result as a sentence. An error is quoted unchanged."""
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
    "integrations.find": lambda r: (
        f"I found {len(r['endpoints'])}: {', '.join(one['endpoint'] for one in r['endpoints'])}."
    ),
    questions.CALL: mailing.sentence,
    **RECORD_SENTENCES,
}


def _text(received: AssistantInput) -> str:
    text, beginning = received.text, received.beginning
    if match := SAY.search(text):
        return match[1]
    if match := re.search(r"count to (\d{1,5})", beginning, re.I):
        return " ".join(str(number) for number in range(1, int(match[1]) + 1))
    if match := re.search(r"\bwhat (?:is|was) (.+?)\?", beginning, re.I):
        return _recall(match[1], received.earlier)
    if match := REMEMBER.search(beginning):
        return f"I will remember that {match[1]} is {match[2]}."
    if match := CALL.search(text):
        return NOT_JSON.format(match[1])
    return HELP


REMEMBER = re.compile(r"\bremember that (.{1,200}?) is ([^.\n]+)", re.I)


SUMMARIZE = "Summarize this conversation:"


def _summary(text: str) -> str:
    """Return the facts that the user asked to remember."""
    facts = [f"remember that {f[1]} is {f[2]}." for f in REMEMBER.finditer(text)]
    return " ".join(["The user has asked me things.", *dict.fromkeys(facts)])


def _recall(thing: str, earlier: tuple[str, ...]) -> str:
    """Return the newest fact that the user asked to remember under this name."""
    for text in reversed(earlier):
        for match in REMEMBER.finditer(text):
            if match[1].lower() == thing.lower():
                return f"{match[1]} is {match[2]}."
    return f"You have not told me what {thing} is."
