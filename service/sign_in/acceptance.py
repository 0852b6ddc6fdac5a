"""Choose which of the provider's tokens this service accepts as a bearer token.

Source: docs/contract.md, section 19.
"""

import structlog

from service.auth.tokens import Claims, Verifier
from service.sign_in.identity import IssuedTokens
from service.sign_in.provider_errors import ProviderRefused
from service.web.errors import Unauthorized, UpstreamFailed

# A header has at most 8190 bytes, in gunicorn as well as in nginx. The page sends its token in
# `Authorization: Bearer …` and, to open a socket, in `Sec-WebSocket-Protocol`.
TOKEN_BYTES = 8100

log = structlog.get_logger("sessions")


class TokensNotAccepted(UpstreamFailed):
    """The provider's tokens don't pass this service's check."""

    message = (
        "The identity provider's tokens are not accepted here. Check AUTH_JWKS_URL, AUTH_ISSUER "
        "and AUTH_AUDIENCE: they must fit its access token, or its ID token (whose audience is "
        "CONSOLE_OIDC_CLIENT_ID)."
    )


class TokenTooLarge(TokensNotAccepted):
    """The provider's token is valid, but no request can contain it."""

    def __init__(self, size: int) -> None:
        self.size = size
        super().__init__(
            f"The identity provider's token has {size} bytes; at most {TOKEN_BYTES} fit into a "
            "request. It must contain fewer claims, for example fewer groups or roles.",
            upstreamStatus=None,
        )


def pick_token(
    verifier: Verifier, issued: IssuedTokens, earlier: str | None = None, used: str | None = None
) -> tuple[str, Claims]:
    """Return the first token that this service accepts and that fits into a header.

    For a refresh, `earlier` is the previous ID token, and `used` the token that the page has used.
    If that is the ID token, and a refresh brings none, no refresh helps when it has ended.

    Raises `TokensNotAccepted`, `ProviderRefused` in that case, and `Unavailable`.
    """
    too_large = 0  # bytes of a token that is accepted otherwise
    for token in filter(None, (issued.access, issued.id_token, earlier)):
        try:
            claims = verifier.verify(token)
        except Unauthorized:
            continue
        if len(token) <= TOKEN_BYTES:
            return token, claims
        too_large = too_large or len(token)
    if too_large:
        log.warning("token of the identity provider too large", bytes=too_large)
        raise TokenTooLarge(too_large)
    if earlier and earlier == used and not issued.id_token:
        raise ProviderRefused("no ID token")
    log.warning("no token of the identity provider is accepted")
    raise TokensNotAccepted(upstreamStatus=None)
