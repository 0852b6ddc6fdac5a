"""Questions about the world to the sandbox's assistant. Each becomes one call of an endpoint."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from service.sandbox.task_commands import Call

CALL = "integrations.call"
ONE_EXAMPLE = "\n\nYou asked for {}: a stand-in answers everything with one example."


@dataclass(frozen=True)
class Inquiry:
    """A kind of question. `words` come before the subject, which is the endpoint's `parameter`.

    `as_sentence` makes a sentence from the answer. For an answer of another shape it raises
    `KeyError`, `TypeError` or `IndexError`.
    """

    words: str
    endpoint: str
    parameter: str
    as_sentence: Callable[[dict[str, Any]], str]
    wait: dict[str, int] = field(default_factory=dict)

    def subject(self, text: str) -> str | None:
        match = re.search(rf"\b{self.words} ([^\W_][^.!?;\n]*)", text, re.I)
        return match[1].strip() if match else None


def weather_now(answer: dict[str, Any]) -> str:
    """Return the answer of `current-weather` as a sentence."""
    now = answer["current"]
    place, words = answer["place"]["name"], now["condition"].lower()
    return f"In {place} it is {now['temperature']:g} °C now, {words}."


def _forecast(answer: dict[str, Any]) -> str:
    days = "; ".join(
        f"{day['date']} {day['condition'].lower()}, {day['tempMin']:g} to {day['tempMax']:g} °C"
        for day in answer["days"]
    )
    return f"The forecast for {answer['place']['name']}: {days}."


def _places(answer: dict[str, Any]) -> str:
    return "I found " + "; ".join(
        f"{one['name']} in {one['country']} ({one['latitude']:.2f}, {one['longitude']:.2f})"
        for one in answer["results"]
    )


def _articles(answer: dict[str, Any]) -> str:
    return "\n".join(f"- [{one['title']}]({one['url']})" for one in answer["articles"])


def _picture(answer: dict[str, Any]) -> str:
    return f"The picture is at {answer['result']['images'][0]['url']}"


INQUIRIES = (
    Inquiry(r"search the web for", "search-web", "query", lambda answer: str(answer["answer"])),
    Inquiry(
        r"(?:what|how)(?: is|['’]s) the weather(?: like)? in",
        "current-weather",
        "city",
        weather_now,
    ),
    Inquiry(r"forecast (?:for|in)", "weather-forecast", "city", _forecast),
    Inquiry(r"where is", "geocode-city", "city", _places),
    Inquiry(r"news (?:about|on|of)", "news-search", "query", _articles),
    Inquiry(r"(?:draw|paint)(?: me)?", "generate-image", "prompt", _picture, {"wait": 20}),
)


def first_calls(text: str) -> Iterator[Call]:
    """Yield the call for a question, and none for any other message."""
    if found := _find_inquiry(text):
        inquiry, subject = found
        body = {inquiry.parameter: subject, **inquiry.wait}
        yield CALL, {"endpoint": inquiry.endpoint, "body": body}


def sentence(text: str, results: tuple[tuple[str, str], ...]) -> str | None:
    """Return the answer to a question, or None if the text is none, or has no such answer."""
    if not (found := _find_inquiry(text)):
        return None
    inquiry, subject = found
    try:
        text = inquiry.as_sentence(json.loads(results[0][1]))
    except (ValueError, KeyError, TypeError, IndexError):
        return None
    return text if subject.lower() in text.lower() else text + ONE_EXAMPLE.format(subject)


def _find_inquiry(text: str) -> tuple[Inquiry, str] | None:
    for inquiry in INQUIRIES:
        if subject := inquiry.subject(text):
            return inquiry, subject
    return None
