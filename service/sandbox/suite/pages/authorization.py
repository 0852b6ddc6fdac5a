"""Read and check an authorization request.

Source: RFC 6749 section 4.1.1, RFC 7636 section 4.3. Errors are shown on the page and not sent to
the app, because a user must never be redirected to an unregistered address.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from service.sandbox.suite.client import Client

CHALLENGES = {"base64url": r"[\w-]{43}", "hex": "[0-9a-f]{64}"}


class AuthorizationError(Exception):
    """The request is invalid; the text is shown on the page."""


@dataclass(frozen=True)
class AuthorizationRequest:
    """A valid request. `choices` are optional scopes, `hint` is the preselected account's id."""

    redirect: str
    state: str
    choices: tuple[str, ...]
    challenge: str
    union: bool
    hint: str | None


def read_authorization(query: Mapping[str, str], client: Client) -> AuthorizationRequest:
    """Return the request in a query. Raises `AuthorizationError`."""
    if query.get(client.oauth.client_parameter) != client.id:
        raise AuthorizationError("invalid_client: no such app is registered.")
    if query.get("redirect_uri") != client.redirect:
        raise AuthorizationError(
            "redirect_uri_mismatch: the app is registered with another address."
        )
    if query.get("response_type") != "code":
        raise AuthorizationError("invalid_request: only response_type=code is supported.")
    account = client.with_address(query.get(client.oauth.hint_parameter, ""))
    return AuthorizationRequest(
        redirect=client.redirect,
        state=query.get("state", ""),
        choices=_choices(query.get("scope", ""), client),
        challenge=_challenge(query, client),
        union=query.get("include_granted_scopes") == "true",
        hint=account.id if account else None,
    )


def _challenge(query: Mapping[str, str], client: Client) -> str:
    """Return the challenge of PKCE, or "" if the vendor does not use PKCE."""
    encoding, challenge = client.oauth.pkce, query.get("code_challenge", "")
    if encoding is None:
        return ""
    is_valid = re.fullmatch(CHALLENGES[encoding], challenge)
    if query.get("code_challenge_method") != "S256" or not is_valid:
        raise AuthorizationError("invalid_request: a code_challenge with S256 is required.")
    return challenge


def _choices(scope: str, client: Client) -> tuple[str, ...]:
    try:
        names = client.names(scope)
    except ValueError as error:
        raise AuthorizationError(f"invalid_scope: {error} is not known.") from None
    if not names:
        raise AuthorizationError("invalid_scope: no scope is requested.")
    return tuple(name for name in dict.fromkeys(names) if name not in client.identity)
