"""Requests to the identity provider: its metadata, codes, refreshes, revocation.

Authlib builds the URLs and PKCE; every request goes through `outbound/upstream.py`.
Source: OpenID Connect Core 1.0, Discovery 1.0, RP-Initiated Logout 1.0; RFC 7009, 7636, 9207.
"""

import json
import time
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from authlib.common.urls import add_params_to_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from gevent.lock import BoundedSemaphore
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError

from config import Settings
from service.auth.keys import KeySource
from service.auth.tokens import LEEWAY, SIGNED_BY_PROVIDER, peek
from service.outbound.stream import UpstreamError
from service.outbound.upstream import Outbound, Upstream
from service.sign_in.provider_errors import ClientRefused, ProviderAway, ProviderRefused
from service.storable import is_header_text
from service.web.origin import is_safe

DISCOVERY = "/.well-known/openid-configuration"
METADATA_SECONDS = 3600.0
ANSWER_SECONDS = 10.0  # for a whole answer; a refresh lease lasts longer
ANSWER_BYTES = 256 << 10
NEEDED = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri")
UNREADABLE = (JoseError, LookupError, ValueError, TypeError, AttributeError, RecursionError)
FORM = "application/x-www-form-urlencoded"

_with_query: Callable[[str, list[tuple[str, str]]], str] = add_params_to_uri

# RFC 6749, section 5.2. Of the provider's texts, only these are logged.
OF_CLIENT = ("invalid_client", "unauthorized_client")
REFUSALS = (*OF_CLIENT, "invalid_grant", "invalid_request", "unsupported_grant_type",
            "invalid_scope")  # fmt: skip


@dataclass(frozen=True)
class IssuedTokens:
    """A token answer. A refresh may give no ID token, or one that `check` has to verify."""

    access: str
    id_token: str | None
    refresh: str | None


class IdentityProvider:
    """The provider of `CONSOLE_OIDC_ISSUER`, with its metadata cached for an hour."""

    def __init__(self, settings: Settings, upstream: Upstream) -> None:
        self._issuer = settings.console_oidc_issuer or ""
        self._client_id = settings.console_oidc_client_id or ""
        self._secret = settings.console_oidc_client_secret
        self._scopes = settings.console_oidc_scopes
        self._upstream = upstream
        self._metadata: Mapping[str, Any] = {}
        self._read_at = self._failed_at = float("-inf")
        self._failure = ""
        self._discovery = BoundedSemaphore(1)
        self._keys: KeySource | None = None

    def authorize_url(self, redirect: str, state: str, nonce: str, verifier: str) -> str:
        """Return the URL where the person signs in. Raises `ProviderAway`."""
        parameters = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": redirect,
            "scope": self._scopes,
            "state": state,
            "nonce": nonce,
            "code_challenge": create_s256_code_challenge(verifier),
            "code_challenge_method": "S256",
        }
        return _with_query(self.metadata["authorization_endpoint"], [*parameters.items()])

    def check_issuer(self, answered: str | None) -> None:
        """Check the `iss` of a redirect. Raises `ProviderRefused`, `ProviderAway`."""
        metadata = self.metadata
        promised = metadata.get("authorization_response_iss_parameter_supported") is True
        if (answered is None and promised) or answered not in (None, metadata["issuer"]):
            raise ProviderRefused("redirect: another iss, or none")

    def exchange(self, code: str, redirect: str, verifier: str, nonce: str) -> IssuedTokens:
        """Return the tokens for a code. Raises `ProviderAway`, `ProviderRefused`."""
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect}
        issued = self._tokens({**form, "code_verifier": verifier})
        if issued.id_token is None:
            raise ProviderRefused("no ID token")
        self._check(issued.id_token, nonce)
        return issued

    def refresh(self, token: str) -> IssuedTokens:
        """Return fresh tokens within `ANSWER_SECONDS`. Raises `ProviderAway`, `ProviderRefused`.

        Their ID token is not verified yet: the refresh token must be kept even if that fails.
        """
        return self._tokens({"grant_type": "refresh_token", "refresh_token": token})

    def check(self, issued: IssuedTokens, earlier: str | None) -> None:
        """Verify the ID token of a refresh, whose subject must be that of the `earlier` one.

        Raises as `_check` does, and `Unavailable`. Source: OpenID Connect Core, section 12.2.
        """
        if issued.id_token is not None:
            claims = self._check(issued.id_token)
            if earlier and peek(earlier)[1]["sub"] != claims["sub"]:
                raise ProviderRefused("ID token: another subject")

    def revoke(self, token: str) -> None:
        """Revoke a refresh token, if the provider supports that. Its answer is ignored."""
        with suppress(ProviderAway):
            if url := self._offered("revocation_endpoint"):
                form = {"token": token, "token_type_hint": "refresh_token"}
                self._send("POST", url, form)

    def end_session_url(self, id_token: str | None, back: str) -> str | None:
        """Return the URL for signing out of the provider too, if it has one."""
        url = None
        with suppress(ProviderAway):
            url = self._offered("end_session_endpoint")
        parameters = {"client_id": self._client_id, "post_logout_redirect_uri": back}
        hint = {"id_token_hint": id_token} if id_token else {}
        return _with_query(url, [*{**hint, **parameters}.items()]) if url else None

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The provider's metadata; an old version while no newer one can be fetched.

        Anybody can begin a sign-in. So the metadata is requested once for all who wait for it, and
        they share a failure.
        """
        if self._is_stale:
            waiting_since = time.monotonic()
            with self._discovery:
                if self._is_stale and self._failed_at < waiting_since:
                    self._refresh_metadata()
            if not self._metadata:
                raise ProviderAway(f"description: {self._failure}")
        return self._metadata

    @property
    def _is_stale(self) -> bool:
        return time.monotonic() - self._read_at > METADATA_SECONDS

    def _refresh_metadata(self) -> None:
        try:
            found = self._discover()
            if found["jwks_uri"] != self._metadata.get("jwks_uri"):
                self._keys = KeySource(found["jwks_uri"], self._upstream)
            self._metadata, self._read_at = found, time.monotonic()
        except ProviderAway as error:
            self._failed_at, self._failure = time.monotonic(), str(error)

    def _discover(self) -> Mapping[str, Any]:
        status, found = self._send("GET", self._issuer.rstrip("/") + DISCOVERY)
        if status != 200:
            raise ProviderAway(f"status {status}")
        for name in NEEDED:
            if not isinstance(found.get(name), str) or not is_safe(found[name]):
                raise ProviderAway(f"no {name}, or one without https")
        if found["issuer"].rstrip("/") != self._issuer.rstrip("/"):
            raise ProviderAway("its issuer is not CONSOLE_OIDC_ISSUER")
        return found

    def _offered(self, name: str) -> str | None:
        url = self.metadata.get(name)
        return url if isinstance(url, str) and is_safe(url) else None

    def _tokens(self, form: Mapping[str, str]) -> IssuedTokens:
        status, answer = self._send("POST", self.metadata["token_endpoint"], form)
        if status in (400, 401, 403):
            code = answer.get("error")
            refusal = ClientRefused if code in OF_CLIENT else ProviderRefused
            raise refusal(f"tokens: {code if code in REFUSALS else status}")
        if status != 200:
            raise ProviderAway(f"tokens: status {status}")
        access: Any = answer.get("access_token")
        # Some providers name all tokens, and send an empty text for a missing one.
        more = [answer.get(name) or None for name in ("id_token", "refresh_token")]
        if not all(is_header_text(token) for token in (access, *filter(None, more))):
            raise ProviderAway("tokens: unreadable")
        return IssuedTokens(access, *more)

    def _check(self, id_token: str, nonce: str | None = None) -> dict[str, Any]:
        """Return an ID token's claims.

        Raises `ProviderRefused` unless it is this provider's, for us and this sign-in. Raises
        `ProviderAway` if its key is not in the key set, which is fetched at most once a
        minute: a provider that has changed its keys may sign with one that is not known here yet.
        """
        assert self._keys, "set with the metadata"
        essential: Any = {"sub": {"essential": True}, "exp": {"essential": True}}
        addressed: Any = {"iss": {"essential": True, "value": self.metadata["issuer"]},
                     "aud": {"essential": True, "value": self._client_id}}  # fmt: skip
        once: Any = {"nonce": {"essential": True, "value": nonce}} if nonce else {}
        registry = jwt.JWTClaimsRegistry(leeway=LEEWAY, **essential, **addressed, **once)
        try:
            keys = self._keys.key_set(peek(id_token)[0].get("kid"))
            claims = jwt.decode(id_token, keys, algorithms=SIGNED_BY_PROVIDER).claims
            registry.validate(claims)
        except InvalidKeyIdError:
            raise ProviderAway("ID token: its key is not in the key set") from None
        except UNREADABLE as error:
            claim = getattr(error, "claim", "")
            raise ProviderRefused(f"ID token: {type(error).__name__} {claim}".strip()) from None
        if claims.get("azp", self._client_id) != self._client_id:
            raise ProviderRefused("ID token: azp")
        return claims

    def _send(
        self, method: str, url: str, form: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Return the status and the JSON object of the answer. Raises `ProviderAway`."""
        headers, body = {"Accept": "application/json"}, None
        if form is not None:
            authorization, client = self._client()
            body = urlencode({**form, **client}).encode()
            headers |= {"Content-Type": FORM, **authorization}
        outbound = Outbound(
            "identity", method, url, headers, body, connect=5, idle=None, whole=ANSWER_SECONDS
        )
        try:
            status, raw = self._upstream.fetch(outbound, ANSWER_BYTES)
            answer = json.loads(raw) if raw.strip() else {}
        except UpstreamError as error:
            raise ProviderAway(error.reason) from None
        except (ValueError, RecursionError):
            raise ProviderAway("unreadable") from None
        return status, answer if isinstance(answer, dict) else {}

    def _client(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the client's authentication: headers, and parameters of the form."""
        named = {"client_id": self._client_id}
        if self._secret is None:
            return {}, named
        methods = self._metadata.get("token_endpoint_auth_methods_supported")
        if isinstance(methods, list) and "client_secret_basic" not in methods:
            return {}, {**named, "client_secret": self._secret}
        pair = f"{quote(self._client_id, safe='')}:{quote(self._secret, safe='')}"
        return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}, {}
