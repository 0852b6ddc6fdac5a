"""A call that needs a consent: the client opens the link, or the user gets it as a text.

Source: https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation.
"""

from collections.abc import Mapping
from typing import Any

from flask import current_app

from service.chat.tools.requirements import NeededGrant
from service.integrations.calling.proxy import PROXY

CONNECT = "connect"  # the key of our question and of its answer
ASK = "Connect {provider} and allow {scopes}, so that {endpoint} can be called."
SHOW = (
    "The call was not made: the user has to connect {provider} first, and allow {scopes}. "
    "Show the user this link, which works for ten minutes:\n{url}\nThen call again."
)
DECLINED = "The user did not connect the account. The call was not made. Do not try it again."


def can_open_links(capabilities: Mapping[str, Any]) -> bool:
    """Return whether a client opens a URL for its user.

    An `elicitation` without `url` means that it only shows forms.
    """
    elicitation = capabilities.get("elicitation")
    return isinstance(elicitation, dict) and isinstance(elicitation.get("url"), dict)


def link(grant: NeededGrant, user_id: str) -> str:
    """Return the URL where the user consents. The page asks who connects which account.

    It is the link in the answer of the refused call: behind a gateway, a link of the other
    instance. It is bound to no browser, so the page asks, and nobody connects another person's
    account unseen. Raises `ServiceError`. Needs an app context.
    """
    if grant.auth_url:
        return grant.auth_url
    proxy = PROXY.of(current_app)
    endpoint = proxy.catalog.named(grant.endpoint)
    connection = proxy.connections.of(endpoint, user_id)
    assert connection, "an endpoint without a scope needs no grant"
    url: str = connection.payload()["authUrl"]
    return url


def question(grant: NeededGrant, url: str, state: str) -> dict[str, Any]:
    """Return the result that makes a client ask its user to open the link."""
    params = {"mode": "url", "url": url, "message": ASK.format(**_words(grant))}
    return {
        "resultType": "input_required",
        "inputRequests": {CONNECT: {"method": "elicitation/create", "params": params}},
        "requestState": state,
    }


def link_text(grant: NeededGrant, url: str) -> str:
    """Return the link as a text for the model and the user."""
    return SHOW.format(url=url, **_words(grant))


def _words(grant: NeededGrant) -> dict[str, str]:
    names = (scope.rpartition("/")[2] for scope in grant.scopes)
    return {
        "provider": grant.provider,
        "scopes": ", ".join(names),
        "endpoint": grant.endpoint,
    }
