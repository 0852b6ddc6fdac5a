"""The sandbox's office suite as a person meets it: connecting, through its consent page."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.people import Person


def payload(person: Person, endpoint: str, body: Any = None) -> dict[str, Any]:
    """The OAuth-required payload of a call."""
    data = person.post(f"/api/integrations/{endpoint}", body or {}).json["data"]
    assert data["requiresOAuth"] is True, data
    return data


def asked_scopes(url: str) -> set[str]:
    """The scopes of an authorization URL, by their last part."""
    return {scope.rpartition("/")[2] for scope in parse_qs(urlsplit(url).query)["scope"][0].split()}


def page_of(person: Person, url: str) -> str:
    """The consent page's HTML."""
    response = person.client.get(_local(url))
    assert response.status_code == 200, response.get_data(as_text=True)
    return response.get_data(as_text=True)


def boxes(page: str) -> list[str]:
    return re.findall(r'type="checkbox" name="scope" value="([^"]+)"', page)


def decide(
    person: Person,
    url: str,
    account: str = "ada",
    without: tuple[str, ...] = (),
    decision: str = "allow",
) -> str:
    """Where the consent page's form leads."""
    ticked = [name for name in boxes(page_of(person, url)) if name not in without]
    form = {"account": account, "scope": ticked, "decision": decision}
    response = person.client.post(_local(url), data=form)
    assert response.status_code == 303, response.get_data(as_text=True)
    return response.location


def connect(
    person: Person,
    endpoint: str,
    account: str = "ada",
    body: Any = None,
    instead: str | None = None,
    **choices: Any,
) -> Any:
    """Connect for an endpoint, or with another scope instead; the callback's page."""
    told = payload(person, endpoint, body)
    scope = told["scopes"][0].rpartition("/")[2]
    url = decide(person, told["authUrl"].replace(scope, instead or scope), account, **choices)
    return person.client.get(_local(url))


def flags(person: Person) -> dict[str, Any]:
    return person.get("/api/integrations/status").json["cloudsuite"]


def _local(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"
