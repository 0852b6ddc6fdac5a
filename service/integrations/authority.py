"""Talking to a vendor's authorization server: the consent URL, codes, refreshes, revocation.

Authlib builds the URL and reads token answers; every request goes through `upstream.py`.
Source: RFC 6749, RFC 7636, RFC 7009.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from authlib.common.errors import AuthlibBaseError
from authlib.oauth2.client import OAuth2Client

from service.errors import NotConfigured
from service.extensions import now
from service.integrations.catalog import OAuth2
from service.upstream import Outbound, Upstream, UpstreamError

SECONDS = 10.0  # for a whole answer; a refresh lease lives longer
BYTES = 256 << 10
ACCOUNT = {"sub": 255, "id": 255, "email": 320}  # what is kept of userinfo: characters
LONGEST = 10 * 365 * 24 * 3600  # seconds that a token may last
UNREADABLE = (LookupError, ValueError, TypeError, AttributeError, OverflowError, RecursionError)


class Refused(Exception):
    """The authorization server gave no tokens. Bears nothing of its text."""


@dataclass(frozen=True)
class Tokens:
    """A token answer: `seconds` from when it was asked for until it expires, `scope` as it came."""

    access: str
    refresh: str | None
    seconds: float
    scope: str | None
    issued_at: datetime


class Authority:
    """One integration's authorization server, as configured."""

    def __init__(self, upstream: Upstream, oauth: OAuth2, settings: Mapping[str, str]) -> None:
        """Raises `NotConfigured` without a client."""
        self._upstream, self._oauth, self._settings = upstream, oauth, settings
        for setting in (oauth.client_setting, oauth.secret_setting):
            if not settings.get(setting):
                raise NotConfigured(setting)

    def consent_url(
        self, redirect: str, scopes: Iterable[str], state: str, verifier: str, hint: str | None
    ) -> str:
        """Where the user grants consent."""
        client = OAuth2Client(
            None,
            client_id=self._settings[self._oauth.client_setting],
            redirect_uri=redirect,
            scope=" ".join(scopes),
            code_challenge_method="S256",
        )
        extra = {**self._oauth.parameters, **({"login_hint": hint} if hint else {})}
        url, _ = client.create_authorization_url(
            self._url("authorize_url"), state=state, code_verifier=verifier, **extra
        )
        return url

    def exchange(self, code: str, redirect: str, verifier: str) -> Tokens:
        """Tokens for a code. Raises `Refused`."""
        return self._tokens(
            grant_type="authorization_code",
            code=code,
            redirect_uri=redirect,
            code_verifier=verifier,
        )

    def refresh(self, token: str) -> Tokens:
        """Fresh tokens, within `SECONDS`. Raises `Refused`, whatever was the reason."""
        return self._tokens(grant_type="refresh_token", refresh_token=token)

    def revoke(self, token: str) -> bool:
        """Revoke a token at the vendor; returns whether the vendor has taken that.

        Google answers 400 for a token that has ended already.
        """
        try:
            status, _ = self._send("POST", self._url("revoke_url"), {"token": token})
        except UpstreamError:
            return False
        return status in (200, 400)

    def account(self, access_token: str) -> dict[str, str]:
        """Whose tokens these are: userinfo's `sub` or `id`, and `email`; empty if not told."""
        headers = {"Authorization": f"Bearer {access_token}"}
        try:
            status, body = self._send("GET", self._url("userinfo_url"), None, headers)
            told = dict(json.loads(body)) if status == 200 else {}
        except (UpstreamError, *UNREADABLE):
            return {}
        known = {name: told.get(name) for name in ACCOUNT}
        return {n: v for n, v in known.items() if isinstance(v, str) and _fits(v, ACCOUNT[n])}

    def _tokens(self, **form: str) -> Tokens:
        client = {
            "client_id": self._settings[self._oauth.client_setting],
            "client_secret": self._settings[self._oauth.secret_setting],
        }
        asked_at = now()
        try:
            status, body = self._send("POST", self._url("token_url"), {**form, **client})
            told = OAuth2Client(None).parse_response_token(_TokenResponse(status, json.loads(body)))
            seconds = float(told.get("expires_in") or 3600)
            access, refresh = told["access_token"], told.get("refresh_token") or None
        except (UpstreamError, AuthlibBaseError, *UNREADABLE):
            raise Refused() from None
        if status != 200 or not _is_token(access) or not 0 < seconds < LONGEST:
            raise Refused()
        if refresh is not None and not _is_token(refresh):
            raise Refused()
        scope = told.get("scope")
        known = isinstance(scope, str) and scope.isprintable()
        return Tokens(access, refresh, seconds, scope if known else None, asked_at)

    def _send(
        self, method: str, url: str, form: Mapping[str, str] | None, headers: Any = None
    ) -> tuple[int, bytes]:
        """Raises `UpstreamError`, also when it takes longer than `SECONDS` in all."""
        sent = {"Accept": "application/json", **(headers or {})}
        body = None
        if form is not None:
            body = urlencode(form).encode()
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        name = self._oauth.prefix.lower()
        outbound = Outbound(
            f"{name}-oauth", method, url, sent, body, connect=5, idle=None, whole=SECONDS
        )
        return self._upstream.fetch(outbound, BYTES)

    def _url(self, name: str) -> str:
        return self._settings.get(
            f"{self._oauth.prefix}_{name.upper()}", getattr(self._oauth, name)
        )


def _fits(text: str, most: int) -> bool:
    return 0 < len(text) <= most and text.isprintable()


def _is_token(value: Any) -> bool:
    """Printable ASCII (RFC 6749, appendix A): what a header carries and a seal takes."""
    return isinstance(value, str) and value.isascii() and value.isprintable() and value != ""


class _TokenResponse:
    """What Authlib reads of a response."""

    def __init__(self, status: int, value: Any) -> None:
        self.status_code = status
        self._value = value

    def json(self) -> Any:
        return self._value

    def raise_for_status(self) -> None:
        raise Refused()
