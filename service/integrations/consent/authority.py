"""Requests to a vendor's authorization server: the consent URL, codes, refreshes, revocation.

Authlib builds the URL and reads token answers; every request goes through `outbound/upstream.py`.
Source: RFC 6749, RFC 7636, RFC 7009, RFC 9207.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from http.client import TOO_MANY_REQUESTS
from typing import Any, Literal
from urllib.parse import urlencode

from authlib.common.errors import AuthlibBaseError
from authlib.common.urls import add_params_to_uri
from authlib.oauth2.client import OAuth2Client
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from service.integrations.consent.accounts import VendorAccount, account_of
from service.integrations.declare.json_paths import find
from service.integrations.declare.oauth2 import OAuth2, value_of
from service.integrations.declare.setting import Setting
from service.outbound.stream import UpstreamError
from service.outbound.upstream import Outbound, Upstream
from service.storable import is_header_text
from service.times import now
from service.web.errors import NotConfigured

ANSWER_SECONDS = 10.0  # a refresh lease lives longer
ANSWER_BYTES = 256 << 10
LONGEST_LIFE = 10 * 365 * 24 * 3600  # seconds that a token may last
UNREADABLE = (LookupError, ValueError, TypeError, AttributeError, OverflowError, RecursionError)
FORM = "application/x-www-form-urlencoded"


Failure = Literal["refused", "unreachable", "unreadable", "no-refresh-token"]


class NoTokens(Exception):
    """The authorization server gave no tokens. The error contains no text of the server."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure


@dataclass(frozen=True)
class Tokens:
    """A token answer.

    `seconds` is the access token's life from `issued_at`, the time of the request. `scope` has the
    granted scopes with spaces between them, or None if the answer has none. `account` is the id of
    the account, if the token answer contains it.
    """

    access: str
    refresh: str | None
    seconds: float
    scope: str | None
    issued_at: datetime
    account: str | None = None


class Authority:
    """One integration's authorization server, as configured."""

    def __init__(
        self, upstream: Upstream, integration: str, oauth: OAuth2, settings: Mapping[str, str]
    ) -> None:
        """Raise `NotConfigured` without a client."""
        self._upstream, self._integration = upstream, integration
        self._oauth, self._settings = oauth, settings
        for setting in (oauth.client_id, oauth.client_secret):
            if not settings.get(setting.name):
                raise NotConfigured(setting.name)

    def consent_url(
        self, redirect: str, scopes: Iterable[str], state: str, verifier: str, hint: str | None
    ) -> str:
        """Return the address where the user grants consent."""
        oauth = self._oauth
        parameters = {
            "response_type": "code",
            oauth.client_parameter: self._value(oauth.client_id),
            "redirect_uri": redirect,
            "scope": oauth.separator.join(scopes),
            "state": state,
            **self._challenge(verifier),
            **oauth.parameters,
        }
        if hint and oauth.hint_parameter:
            parameters[oauth.hint_parameter] = hint
        url: str = add_params_to_uri(self._value(oauth.authorize_url), list(parameters.items()))
        return url

    def sends(self, issuer: str | None) -> bool:
        """Return whether a redirect with this `iss`, or none, may come from this server (RFC 9207).

        A server that is declared to send `iss` always sends it. Without a declaration, any value
        or none is accepted.
        """
        declared = self._oauth.issuer
        configured = declared and self._settings.get(declared.name)
        if configured:
            return issuer == configured
        is_default = not self._settings.get(self._oauth.authorize_url.name)
        if declared and is_default and issuer is not None:
            return issuer == declared.default
        return True

    def exchange(self, code: str, redirect: str, verifier: str) -> Tokens:
        """Return tokens for a code. Raises `NoTokens`."""
        proof = {"code_verifier": verifier} if self._oauth.pkce else {}
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect}
        return self._tokens({**form, **proof})

    def refresh(self, token: str) -> Tokens:
        """Return fresh tokens within `ANSWER_SECONDS`. Raises `NoTokens` for any failure."""
        return self._tokens({"grant_type": "refresh_token", "refresh_token": token})

    def revoke(self, token: str) -> bool:
        """Revoke a token at the vendor. Return whether the token is known to be invalid now."""
        revocation = self._oauth.revocation
        if revocation is None:
            return False
        client = self._client if revocation.has_client else {}
        form = {**client, revocation.token: token}
        try:
            status, _ = self._send("POST", self._value(revocation.url), form)
        except UpstreamError:
            return False
        return status in revocation.statuses

    def account(self, tokens: Tokens) -> VendorAccount:
        """Return the account to which the tokens belong, as far as the vendor tells it."""
        userinfo = self._oauth.userinfo
        if userinfo is None:
            return VendorAccount(tokens.account)
        headers = {"Authorization": f"Bearer {tokens.access}"}
        url = add_params_to_uri(self._value(userinfo.url), list(userinfo.query.items()))
        try:
            status, body = self._send(userinfo.method, url, None, headers)
            answer = json.loads(body) if status == 200 else {}
        except (UpstreamError, *UNREADABLE):
            answer = {}
        account = account_of(answer, userinfo.account, userinfo.email)
        return VendorAccount(tokens.account or account.id, account.email)

    @property
    def _client(self) -> dict[str, str]:
        """The client's credentials, as fields of a form."""
        oauth = self._oauth
        return {
            oauth.client_parameter: self._value(oauth.client_id),
            oauth.secret_parameter: self._value(oauth.client_secret),
        }

    def _challenge(self, verifier: str) -> dict[str, str]:
        """Return the parameters of PKCE, if the vendor supports it."""
        match self._oauth.pkce:
            case None:
                return {}
            case "hex":
                challenge = hashlib.sha256(verifier.encode()).hexdigest()
            case "base64url":
                challenge = create_s256_code_challenge(verifier)
        return {"code_challenge": challenge, "code_challenge_method": "S256"}

    def _tokens(self, form: Mapping[str, str]) -> Tokens:
        requested_at = now()
        url = self._value(self._oauth.token_url)
        try:
            status, body = self._send("POST", url, {**form, **self._client})
        except (UpstreamError, *UNREADABLE):
            raise NoTokens("unreachable") from None
        try:
            return self._read(status, json.loads(body), requested_at)
        except (NoTokens, AuthlibBaseError, *UNREADABLE):
            raise NoTokens(_failure(status)) from None

    def _read(self, status: int, answer: Any, issued_at: datetime) -> Tokens:
        """Return the tokens in an answer. Raises `NoTokens`, AuthlibBaseError and `UNREADABLE`."""
        where = self._oauth.tokens
        fields = _AuthlibResponse(status, find(answer, where.within))
        token = OAuth2Client(None).parse_response_token(fields)
        seconds = float(token.get("expires_in") or where.seconds)
        access, refresh = token["access_token"], token.get("refresh_token") or None
        if status != 200 or not is_header_text(access) or not 0 < seconds < LONGEST_LIFE:
            raise NoTokens("unreadable")
        if refresh is not None and not is_header_text(refresh):
            raise NoTokens("unreadable")
        account = account_of(token, [where.account]).id if where.account else None
        return Tokens(access, refresh, seconds, self._scope(token), issued_at, account)

    def _scope(self, fields: Mapping[str, Any]) -> str | None:
        """Return the granted scopes with spaces between them. Some vendors send a list."""
        scope = fields.get("scope")
        if isinstance(scope, list) and all(isinstance(one, str) for one in scope):
            scope = " ".join(scope)
        if not isinstance(scope, str) or not scope.isprintable():
            return None
        return " ".join(scope.replace(self._oauth.separator, " ").split())

    def _send(
        self, method: str, url: str, form: Mapping[str, str] | None, headers: Any = None
    ) -> tuple[int, bytes]:
        """Send a request. Raises `UpstreamError`, also if it takes longer than `ANSWER_SECONDS`."""
        sent = {"Accept": "application/json", **(headers or {})}
        body = None
        if form is not None:
            body, sent["Content-Type"] = urlencode(form).encode(), FORM
        outbound = Outbound(
            f"{self._integration}-oauth", method, url, sent, body, connect=5, idle=None,
            whole=ANSWER_SECONDS,
        )  # fmt: skip
        return self._upstream.fetch(outbound, ANSWER_BYTES)

    def _value(self, setting: Setting) -> str:
        return value_of(setting, self._settings)


def _failure(status: int) -> Failure:
    if status >= 500 or status == TOO_MANY_REQUESTS:  # the server has not checked the token
        return "unreachable"
    return "refused" if status >= 400 else "unreadable"


class _AuthlibResponse:
    """The attributes of a response that Authlib reads."""

    def __init__(self, status: int, value: Any) -> None:
        self.status_code = status
        self._value = value

    def json(self) -> Any:
        return self._value

    def raise_for_status(self) -> None:
        raise NoTokens("unreachable")
