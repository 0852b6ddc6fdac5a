"""The command of the sandbox's assistant that mails the weather: two reads, then a message."""

import json
import re
from collections.abc import Iterator
from typing import Any

from service.sandbox.questions import CALL, weather_now
from service.sandbox.task_commands import Call

MAIL = re.compile(r"\bmail my first contact the weather in ([^\W\d_][\w' -]*)", re.I)


def first_calls(text: str) -> Iterator[Call]:
    """Yield the calls that read the contents of the message."""
    if match := MAIL.search(text):
        one = {"pageSize": 1, "sortOrder": "FIRST_NAME_ASCENDING"}
        yield CALL, {"endpoint": "cloudsuite/contacts-list", "body": one}
        yield CALL, {"endpoint": "current-weather", "body": {"city": match[1].strip()}}


def follow_up(text: str, results: tuple[tuple[str, str], ...]) -> Iterator[Call]:
    """Yield the message after both reads, or nothing if one of them has failed."""
    if not MAIL.search(text) or [name for name, _ in results] != [CALL, CALL]:
        return
    read = [_read(result) for _, result in results]
    try:
        person, weather = read[0]["contacts"][0], read[1]
        body = {
            "to": person["emails"][0],
            "subject": f"The weather in {weather['place']['name']}",
            "content": f"Hello {person['name']}. {weather_now(weather)}",
        }
    except (KeyError, IndexError, TypeError):
        return
    yield CALL, {"endpoint": "cloudsuite/mail-send", "body": body}


def _read(result: str) -> Any:
    try:
        return json.loads(result)
    except ValueError:
        return {}


def sentence(answer: dict[str, Any]) -> str:
    """Return the answer of one of the three calls as a sentence. Raises `KeyError` for others."""
    if "contacts" in answer:
        names = ", ".join(one["name"] for one in answer["contacts"])
        return f"Your first contact is {names}." if names else "You have no contacts."
    if "current" in answer:
        return weather_now(answer)
    return "I have sent the message." if answer["sent"] else "Nothing was sent."
