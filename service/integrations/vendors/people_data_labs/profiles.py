"""Profiles as callers give them, and how a model is asked about one.

A model is asked about one profile at a time, so that what a profile says can't change what is
written about another one. The profile is the last that it is told: if all is too long for the
prompt, the end of the profile is cut off, and nothing of what the user wants. Words of the user
that would leave no place for a profile are refused.

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

CONTENTS = "a person's profile and words of a user"  # of what a model is given
URL = r"^(https?://)?([a-z]{2,3}\.)?linkedin\.com/in/[^/?#\s]+/?$"
LONGEST = 200  # characters of a URL
CHARACTERS = 2000  # of each fact of a profile
ROOM = 800  # tokens of a prompt for its task and the first facts of a profile
FACTS = ("name", "title", "company", "location", "industry", "skills", "summary")
FOUND = (*FACTS, "strengths", "concerns")  # an analysis is a profile, too

Profile = dict[str, Any]


class Person(Anything):
    """A profile, or its address alone; loaded as an object, of which the known facts stay."""

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
    """Whose profile an address is: it may be written with or without `https://www.`."""
    return url.rstrip("/").rpartition("/")[2].casefold()


def people(about: str, most: int) -> Several:
    return Several(Person(), about, least=1, most=most, required=True)


def prompt_facts(profile: Profile) -> Profile:
    """What a model is told of a profile."""
    return {name: fact for name, fact in profile.items() if name in FOUND}


def check_room(words: Mapping[str, Any], prompt_tokens: int) -> None:
    """Raise ValidationError if these words leave less than `ROOM` of a prompt; the first name is
    at fault. The model would be paid for what it says of nobody."""
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
