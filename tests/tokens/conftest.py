"""Limited tokens of people."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.people import Person

Limit = Callable[..., Person]


@pytest.fixture
def limit() -> Limit:
    """Returns a person with a limited token that the person has made."""

    def limiting(person: Person, scope: str = "calls", **limits: Any) -> Person:
        made = person.post("/api/tokens", {"scope": scope, **limits})
        assert made.status_code == 201, made.json
        return replace(person, token=made.json["token"], chats=[])

    return limiting
