"""Permits: the part of a user's rights that a limited token has.

A limited token is made by `POST /api/tokens`. Its routes are those that `bearer.open_to` names.
Source: docs/contract.md, section 17.3.
"""

from dataclasses import dataclass
from sys import intern
from typing import Any, Literal, get_args

from service.web.errors import Forbidden

Scope = Literal["calls", "chat"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
CLOSED = "This token was made for other routes. Use a token without this limit."
OTHER_ENDPOINTS = "This token was made for other endpoints. Make one that names this endpoint."


@dataclass(frozen=True)
class Permit:
    """The permit of one limited token.

    `endpoints` has the declared names of endpoints; None allows all. `credits` is the most that the
    token may spend in all, in micro-credits; None means no limit of its own. `expires` is the
    token's expiry in Unix time.
    """

    token_id: str
    scope: Scope
    expires: float
    endpoints: frozenset[str] | None = None
    credits: int | None = None

    def allows(self, endpoint: str) -> bool:
        return self.endpoints is None or endpoint in self.endpoints

    def claims(self) -> dict[str, Any]:
        """Return the claims of the token, besides the claims that every token has."""
        named = None if self.endpoints is None else sorted(self.endpoints)
        limits = {"scope": self.scope, "endpoints": named, "credits": self.credits}
        return {"jti": self.token_id, "permit": limits}


def read(claims: dict[str, Any]) -> Permit:
    """Return the permit in the claims of a limited token that this service has signed.

    Raises ValueError if a release with other permits has made the token.
    """
    limits = claims.get("permit", {})
    if limits.keys() != {"scope", "endpoints", "credits"} or limits["scope"] not in SCOPES:
        raise ValueError("a permit that this release does not know")
    named = limits["endpoints"]
    return Permit(
        token_id=claims["jti"],
        scope=limits["scope"],
        expires=float(claims["exp"]),
        # Thousands of tokens are cached, and nearly all name the same endpoints.
        endpoints=None if named is None else frozenset(map(intern, named)),
        credits=limits["credits"],
    )


def check_endpoint(permit: Permit | None, endpoint: str) -> None:
    """Raise `Forbidden` if a permit does not allow the endpoint with this declared name."""
    if permit and not permit.allows(endpoint):
        raise Forbidden(OTHER_ENDPOINTS)
