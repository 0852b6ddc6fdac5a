"""What an authorization request asks for, and what is wrong with one.

Source: RFC 6749 section 4.1.1, RFC 7636 section 4.3. A request that is wrong is told to the person
on the page: an address that is not registered is never redirected to.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from service.sandbox.suite.client import IDENTITY, Client, neutral, with_address


class Unusable(Exception):
    """The text is for people."""


@dataclass(frozen=True)
class Asking:
    """`choices` are the scopes that can be unticked, `hint` the account to begin with."""

    redirect: str
    state: str
    choices: tuple[str, ...]
    challenge: str
    union: bool
    hint: str | None


def asking(query: Mapping[str, str], client: Client) -> Asking:
    """Raises `Unusable`."""
    if query.get("client_id") != client.id:
        raise Unusable("invalid_client: no such app is registered.")
    if query.get("redirect_uri") != client.redirect:
        raise Unusable("redirect_uri_mismatch: the app is registered with another address.")
    if query.get("response_type") != "code":
        raise Unusable("invalid_request: only response_type=code is known.")
    challenge = query.get("code_challenge", "")
    if query.get("code_challenge_method") != "S256" or not re.fullmatch(r"[\w-]{43}", challenge):
        raise Unusable("invalid_request: a code_challenge with S256 is needed.")
    hinted = with_address(query.get("login_hint", ""))
    return Asking(
        redirect=client.redirect,
        state=query.get("state", ""),
        choices=_choices(query.get("scope", "")),
        challenge=challenge,
        union=query.get("include_granted_scopes") == "true",
        hint=hinted.id if hinted else None,
    )


def _choices(scope: str) -> tuple[str, ...]:
    try:
        names = neutral(scope.split())
    except ValueError as error:
        raise Unusable(f"invalid_scope: {error} is not known.") from None
    if not names:
        raise Unusable("invalid_scope: no scope is asked for.")
    return tuple(name for name in dict.fromkeys(names) if name not in IDENTITY)
