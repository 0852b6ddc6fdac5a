"""Choose which of the provider's tokens this service accepts as a bearer token.

Source: docs/contract.md, section 19.
"""

import structlog

from service.auth.tokens import Claims, Verifier
from service.sign_in.identity import IssuedTokens
from service.sign_in.provider_errors import ProviderRefused
from service.web.errors import Unauthorized, UpstreamFailed

log = structlog.get_logger("sessions")


class TokensNotAccepted(UpstreamFailed):
    """The provider's tokens don't pass this service's check."""

    message = (
        "The identity provider's tokens are not accepted here. Check AUTH_JWKS_URL, AUTH_ISSUER "
        "and AUTH_AUDIENCE: they must fit its access token, or its ID token (whose audience is "
        "CONSOLE_OIDC_CLIENT_ID)."
    )


def pick_token(
    verifier: Verifier, issued: IssuedTokens, earlier: str | None = None, used: str | None = None
) -> tuple[str, Claims]:
    """Return the first token that this service accepts.

    For a refresh, `earlier` is the previous ID token, and `used` the token that the page has used.
    If that is the ID token, and a refresh brings none, no refresh helps when it has ended.

    Raises `TokensNotAccepted`, `ProviderRefused` in that case, and `Unavailable`.
    """
    for token in (issued.access, issued.id_token, earlier):
        try:
            if token:
                return token, verifier.verify(token)
        except Unauthorized:
            continue
    if earlier and earlier == used and not issued.id_token:
        raise ProviderRefused("no ID token")
    log.warning("no token of the identity provider is accepted")
    raise TokensNotAccepted(upstreamStatus=None)
