"""A sign-in in progress: from the provider's URL to the tokens after its redirect.

The state of the sign-in is sealed into a cookie of the browser. So anybody can begin a sign-in
without leaving a row, and nobody can finish it in another browser.
Source: OpenID Connect Core 1.0, section 3.1; RFC 9700.
"""

import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sqlalchemy.exc import SQLAlchemyError

from service.app_keys import AppKey
from service.sealing import places
from service.sealing.seal import Sealer, Unsealable
from service.sign_in.acceptance import TOKEN_BYTES, TokensNotAccepted, TokenTooLarge
from service.sign_in.identity import IdentityProvider
from service.sign_in.provider_errors import ProviderAway, ProviderRefused
from service.sign_in.sessions import Sessions
from service.web.errors import Unauthorized, Unavailable, outage_error

SIGN_INS = AppKey["SignIns | None"]("sign_ins")
SIGN_IN_SECONDS = 600
# RFC 6749, section 4.1.2.1, and OpenID Connect Core, section 3.1.2.6.
REFUSALS = ("invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope",
            "server_error", "temporarily_unavailable", "login_required", "interaction_required",
            "consent_required", "account_selection_required")  # fmt: skip

# The page has a sentence for each, in service/browser/console/sign-in-problems.js.
Problem = Literal[
    "denied", "lost", "refused", "away", "unavailable", "not-accepted", "too-large", "not-admitted"
]


class SignInFailed(Exception):
    """The sign-in failed. `problem` is for the page, `why` for operators."""

    def __init__(self, problem: Problem, why: object = None) -> None:
        super().__init__(problem)
        self.problem: Problem = problem
        self.why = str(why) if why else None


@dataclass(frozen=True)
class Begun:
    """A sign-in that has begun. The browser keeps `cookie` for `SIGN_IN_SECONDS`."""

    url: str
    cookie: str


class SignIns:
    def __init__(
        self, provider: IdentityProvider, sessions: Sessions, sealer: Sealer, redirect: str
    ) -> None:
        self._provider, self._sessions, self._sealer = provider, sessions, sealer
        self._redirect = redirect

    def begin(self) -> Begun:
        """Begin a sign-in. Raises `SignInFailed`."""
        state, nonce = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        verifier = secrets.token_urlsafe(64)
        try:
            url = self._provider.authorize_url(self._redirect, state, nonce, verifier)
        except ProviderAway as error:
            raise SignInFailed("away", error) from None
        kept = {"state": state, "nonce": nonce, "verifier": verifier}
        text = json.dumps({**kept, "until": time.time() + SIGN_IN_SECONDS})
        return Begun(url, self._sealer.seal(text, places.SIGN_IN))

    def finish(self, answer: Mapping[str, str], cookie: str, before: str | None) -> str:
        """Return the id of the new session, which replaces the browser's session `before`.

        Needs an app context; raises `SignInFailed`.
        """
        kept = self._read(cookie)
        if not secrets.compare_digest(answer.get("state", "").encode(), kept["state"].encode()):
            raise SignInFailed("lost", "another state")
        if "code" not in answer:
            raise _refusal(answer.get("error"))
        try:
            self._provider.check_issuer(answer.get("iss"))
            issued = self._provider.exchange(
                answer["code"], self._redirect, kept["verifier"], kept["nonce"]
            )
            return self._sessions.begin(issued, before)
        except ProviderRefused as error:
            raise SignInFailed("refused", error) from None
        except ProviderAway as error:
            raise SignInFailed("away", error) from None
        except Unavailable:
            raise SignInFailed("away", "keys") from None
        except SQLAlchemyError as error:
            if outage_error(error) is None:
                raise
            raise SignInFailed("unavailable", "the database") from None
        except TokenTooLarge as error:
            why = f"{error.size} bytes, of which {TOKEN_BYTES} are permitted"
            raise SignInFailed("too-large", why) from None
        except TokensNotAccepted:
            raise SignInFailed("not-accepted") from None
        except Unauthorized:
            raise SignInFailed("not-admitted", "the user is disabled or erased") from None

    def _read(self, cookie: str) -> dict[str, str]:
        """Read the sealed state. Raises `SignInFailed` if the cookie is not ours, or too old."""
        try:
            kept = json.loads(self._sealer.open(cookie, places.SIGN_IN))
        except Unsealable:
            raise SignInFailed("lost", "no cookie" if not cookie else "another's cookie") from None
        if kept.pop("until") < time.time():
            raise SignInFailed("lost", f"after more than {SIGN_IN_SECONDS} s")
        state: dict[str, str] = kept
        return state


def _refusal(code: str | None) -> SignInFailed:
    """Return the error of a redirect without a code, by its `error`.

    Anybody may have written that, so only known values are used.
    """
    if code == "access_denied":
        return SignInFailed("denied")
    return SignInFailed("refused", f"redirect: {code if code in REFUSALS else 'another error'}")
