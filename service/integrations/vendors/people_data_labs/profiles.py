"""Profiles in a caller's parameters, and prompts for a model about a profile.

A model is asked about one profile at a time, so that the text of a profile can't change the text
about another one. The profile comes last in the prompt: if the prompt is too long, the end of the
profile is cut off, and nothing of the user's wishes. A user's words that leave no room for a
profile are refused.

Before the call the most that the models can cost is held, and their real cost is charged
afterwards. If the vendor or a model fails, the call fails and nothing is charged.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError

from service.integrations.declare.fields import Several
from service.integrations.declare.fields import Values as Anything
from service.providers.tokens import bound

CONTENTS = "a person's profile and words of a user"  # describes the data to a model
URL = r"^(https?://)?([a-z]{2,3}\.)?linkedin\.com/in/[^/?#\s]+/?$"
LONGEST = 200  # characters of a URL
CHARACTERS = 2000  # of each fact of a profile
ROOM = 800  # tokens of a prompt for its task and the first facts of a profile
FACTS = ("name", "title", "company", "location", "industry", "skills", "summary")
FOUND = (*FACTS, "strengths", "concerns")  # an analysis is a profile, too

Profile = dict[str, Any]


class Person(Anything):
    """A profile, or only its address. It is loaded as an object with the known facts."""

    def __init__(self) -> None:
        super().__init__()
        address = {"type": ["object", "string"], "pattern": URL, "maxLength": LONGEST}
        self.metadata = {**self.metadata, **address}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Profile:
        if isinstance(value, str):
            value = {"profileUrl": value}
        given = super()._deserialize(value, attr, data, **kwargs)
        url = given.get("profileUrl")
        if url is not None and not (isinstance(url, str) and is_address(url)):
            raise ValidationError({"profileUrl": ["Must be the address of a profile."]})
        facts = {name: fact for name in FOUND if (fact := _fact(given.get(name)))}
        if not facts and not url:
            raise ValidationError("Must have a name, other facts, or the address of a profile.")
        return {"profileUrl": url, **facts}


def is_address(url: str) -> bool:
    return len(url) <= LONGEST and re.fullmatch(URL, url) is not None


def person_at(url: str) -> str:
    """Return the person of an address, which may have `https://www.` or not."""
    return url.rstrip("/").rpartition("/")[2].casefold()


def people(about: str, most: int) -> Several:
    return Several(Person(), about, least=1, most=most, required=True)


def prompt_facts(profile: Profile) -> Profile:
    """Return the facts of a profile that a model gets."""
    return {name: fact for name, fact in profile.items() if name in FOUND}


def check_room(words: Mapping[str, Any], prompt_tokens: int) -> None:
    """Raise ValidationError, for the first name, if these words leave less than `ROOM` of a prompt.

    Otherwise the model would be paid for a text about nobody.
    """
    if bound(json.dumps(words, ensure_ascii=False)) > prompt_tokens - ROOM:
        raise ValidationError(
            f"Shorten {' or '.join(words)}: no profile has room.", next(iter(words))
        )


def _fact(value: Any) -> str | list[str] | None:
    if isinstance(value, str):
        return value[:CHARACTERS]
    if isinstance(value, list):
        return [one[:100] for one in value[:50] if isinstance(one, str)]
    return None
