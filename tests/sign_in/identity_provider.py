"""An identity provider on a port of its own: OpenID Connect with PKCE, as a real one checks it.

A refresh rotates the refresh token, unless `rotates` is False; an old one, used again, ends them
all. Its page for people signs in one account, or denies. It remembers what it was asked.
"""

import base64
import hashlib
import itertools
import json
import sys
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import gevent
import pytest
from gevent.event import Event
from gevent.pywsgi import WSGIServer
from joserfc import jwt
from joserfc.jwk import RSAKey

from service.auth.tokens import issue
from tests.services import settings_for

CLIENT, SECRET = "the-console", "secret-canary-of-the-console"
HEAD = '<!doctype html><link rel="icon" href="data:,">'
OWNER = ("owner", "owner", 24 * 3600)
AUDIENCE = "the-api"
BASIC = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
# By method: the `Authorization` header, and of the form the client's id and its secret.
PROOFS = {
    "client_secret_basic": (f"Basic {BASIC}", None, None),
    "client_secret_post": ("", CLIENT, SECRET),
    "none": ("", CLIENT, None),
}


@dataclass
class IdentityProvider:
    """`seconds` is the life of tokens. `audience` is that of access tokens; None: opaque ones.

    `method` is how a client has to prove itself. `described` and `answered` are put over what the
    description and a token answer have; None leaves a name out.
    """

    seconds: int = 3600
    audience: str | None = AUDIENCE
    account: str = "ada"
    is_away: bool = False
    keys_are_away: bool = False
    rotates: bool = True
    method: str = "client_secret_basic"
    described: dict[str, Any] = field(default_factory=dict)
    answered: dict[str, Any] = field(default_factory=dict)
    claims: dict[str, Any] = field(default_factory=dict)  # put over those of ID tokens
    seen: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    refreshes: dict[str, str] = field(default_factory=dict)  # live ones: the account

    def __post_init__(self) -> None:
        self._numbers = itertools.count(1)
        self.change_key()
        self._server = WSGIServer(("127.0.0.1", 0), self._serve, log=None, error_log=None)
        self._server.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def change_key(self) -> None:
        """Sign with a new key, and publish no other."""
        self.key = RSAKey.generate_key(2048, {"kid": f"key-{next(self._numbers)}"})

    def stop(self) -> None:
        self._server.stop(timeout=0)

    def settings(self) -> dict[str, str]:
        """Of a service whose people sign in here."""
        return {
            "auth_jwks_url": f"{self.url}/jwks",
            "auth_issuer": self.url,
            "auth_audience": AUDIENCE,
            "owner_token": issue(settings_for("sqlite://", auth_audience=AUDIENCE), *OWNER),
            "console_oidc_issuer": self.url,
            "console_oidc_client_id": CLIENT,
            "console_oidc_client_secret": SECRET,
        }

    def asked(self, door: str) -> list[dict[str, str]]:
        return [form for name, form in self.seen if name == door]

    def agree(self, url: str, **changes: str | None) -> str:
        """What a person does on the page: the address that the provider redirects to."""
        asked = dict(parse_qsl(urlsplit(url).query))
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert {"openid"} <= set(asked["scope"].split())
        code = f"code-canary-{next(self._numbers)}"
        self.codes[code] = {**asked, "account": self.account}
        answer = override({"code": code, "state": asked["state"], "iss": self.url}, changes)
        return f"{asked['redirect_uri']}?{urlencode(answer)}"

    def _serve(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        door = environ["PATH_INFO"].rsplit("/", 1)[-1].replace("-", "_")
        raw = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)).decode()
        form = dict(parse_qsl(raw or environ["QUERY_STRING"]))
        self.seen.append((door, form))
        form["authorization"] = environ.get("HTTP_AUTHORIZATION", "")
        if self.is_away:
            status, body = 503, {}
        else:
            status, body = getattr(self, f"_{door}", lambda form: (404, {}))(form)
        kind = "text/html" if isinstance(body, str) else "application/json"
        start_response(f"{status} X", [("Content-Type", kind)])
        return [(body if isinstance(body, str) else json.dumps(body)).encode()]

    def _openid_configuration(self, _form: dict[str, str]) -> tuple[int, Any]:
        doors = {"authorization": "authorize", "token": "token", "revocation": "revoke",
                 "end_session": "logout"}  # fmt: skip
        urls = {f"{name}_endpoint": f"{self.url}/{path}" for name, path in doors.items()}
        supported = {
            "authorization_response_iss_parameter_supported": True,
            "token_endpoint_auth_methods_supported": [self.method],
        }
        described = {"issuer": self.url, "jwks_uri": f"{self.url}/jwks", **urls, **supported}
        return 200, override(described, self.described)

    def _jwks(self, _form: dict[str, str]) -> tuple[int, Any]:
        if self.keys_are_away:
            return 503, {}
        return 200, {"keys": [self.key.as_dict(private=False)]}

    def _authorize(self, form: dict[str, str]) -> tuple[int, Any]:
        asked = {name: value for name, value in form.items() if name != "authorization"}
        agreed = self.agree(f"{self.url}/authorize?{urlencode(asked)}")
        denied = urlencode({"error": "access_denied", "state": form["state"], "iss": self.url})
        links = {f"Sign in as {self.account}": agreed, "Deny": f"{form['redirect_uri']}?{denied}"}
        items = "".join(
            f'<p><a href="{url.replace("&", "&amp;")}">{text}</a>' for text, url in links.items()
        )
        return 200, f"{HEAD}<title>Identity provider</title>{items}"

    def _logout(self, form: dict[str, str]) -> tuple[int, Any]:
        back = form["post_logout_redirect_uri"]
        return 200, f'{HEAD}<title>Signed out</title><a href="{back}">Back</a>'

    def _token(self, form: dict[str, str]) -> tuple[int, Any]:
        proof = (form["authorization"], form.get("client_id"), form.get("client_secret"))
        if proof != PROOFS[self.method]:
            return 401, {"error": "invalid_client"}
        if form["grant_type"] == "refresh_token":
            account = self.refreshes.pop(form["refresh_token"], None)
            if account is None:
                self.refreshes.clear()
                return 400, {"error": "invalid_grant"}
            if not self.rotates:
                self.refreshes[form["refresh_token"]] = account
            return 200, self._issued(account)
        asked = self.codes.pop(form["code"], {})
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (challenge, form["redirect_uri"]) != (
            asked.get("code_challenge"),
            asked.get("redirect_uri"),
        ):
            return 400, {"error": "invalid_grant"}
        return 200, self._issued(asked["account"], asked["nonce"])

    def hold_revocations(self, monkeypatch: pytest.MonkeyPatch) -> tuple[Event, list[bool]]:
        """Answer revocations when the event is set; the list tells whether that was in time."""
        answered, revoke, in_time = Event(), self._revoke, list[bool]()

        def revoke_late(form: dict[str, str]) -> tuple[int, Any]:
            in_time.append(answered.wait(5))
            return revoke(form)

        monkeypatch.setattr(self, "_revoke", revoke_late)
        return answered, in_time

    def _revoke(self, form: dict[str, str]) -> tuple[int, Any]:
        self.refreshes.pop(form["token"], None)
        return 200, {}

    def _issued(self, account: str, nonce: str | None = None) -> dict[str, Any]:
        number = next(self._numbers)
        refresh = f"rt-canary-{number}"
        self.refreshes[refresh] = account
        access = self._signed(sub=account, aud=self.audience, jti=str(number))
        identity = {"sub": account, "aud": CLIENT, **({"nonce": nonce} if nonce else {})}
        issued = {
            "access_token": access if self.audience else f"at-canary-{number}",
            "id_token": self._signed(**{**identity, **self.claims}),
            "refresh_token": refresh,
            "token_type": "Bearer",
            "expires_in": self.seconds,
        }
        return override(issued, self.answered)

    def _signed(self, **claims: Any) -> str:
        now = int(time.time())
        times = {"iss": self.url, "iat": now, "exp": now + self.seconds}
        header = {"alg": "RS256", "kid": self.key.kid}
        return jwt.encode(header, {**times, **claims}, self.key, algorithms=["RS256"])


def override(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**values, **changes}.items() if value is not None}


def main(seconds: int) -> None:
    """Serve in a process of its own; prints the settings of a service whose people sign in here."""
    provider = IdentityProvider(seconds=seconds)
    print(json.dumps(provider.settings()), flush=True)
    gevent.get_hub().join()


if __name__ == "__main__":
    main(int(sys.argv[1]))
