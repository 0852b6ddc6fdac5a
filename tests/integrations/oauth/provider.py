"""An office suite with its authorization server, Google's way, on a port of its own.

Every token, code and key that it makes has `canary` in it. It checks what a real one checks, and
remembers what it was asked. A test may script the next answers of each of its doors.
"""

import base64
import hashlib
import itertools
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from gevent.pywsgi import WSGIServer

BASE = "https://scopes.example/auth"
CLIENT_ID, CLIENT_SECRET = "the-client", "secret-canary-of-the-client"
JSON = "application/json"


@dataclass(frozen=True)
class Reply:
    """`body` is JSON unless it is text."""

    status: int
    body: Any = ""
    kind: str = JSON


Script = Reply | Callable[["Seen"], Reply | None]  # None: as if it were not scripted


@dataclass(frozen=True)
class Seen:
    door: str
    method: str
    path: str
    query: dict[str, str]
    form: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def bearer(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")


@dataclass
class Consented:
    """What a code stands for."""

    account: str
    scopes: set[str]
    redirect: str
    challenge: str


class Provider:
    """`rotates`: a refresh gives a new refresh token, and the old one, used again, ends them all.

    `incremental`: a token covers all that its account has ever granted, not only what was asked.
    `joins` makes the scopes of a token answer: a text, or with `sorted` a list.
    """

    def __init__(self) -> None:
        self.rotates, self.incremental, self.gives_refresh = False, True, True
        self.lasts: Any = 3599
        self.joins: Callable[[set[str]], Any] = " ".join
        self.scripts: dict[str, list[Script]] = {}  # by door: token, userinfo, revoke, api
        self.seen: list[Seen] = []
        self.states: list[str] = []
        self.codes: dict[str, Consented] = {}
        self.granted: dict[str, set[str]] = {}  # by account
        self.access: dict[str, tuple[str, set[str]]] = {}  # live tokens: account, scopes
        self.refreshes: dict[str, str] = {}  # live ones: account
        self._numbers = itertools.count(1)
        self._server = WSGIServer(("127.0.0.1", 0), self._serve, log=None, error_log=None)
        self._server.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        self._server.stop(timeout=0)

    def settings(self) -> dict[str, str]:
        """Of an app that has this for its office suite."""
        doors = {"token": "token", "revoke": "revoke", "userinfo": "userinfo"}
        urls = {f"cloudsuite_{name}_url": f"{self.url}/{path}" for name, path in doors.items()}
        apis = ("mail", "calendar", "drive", "contacts")
        urls |= {f"cloudsuite_{name}_base_url": f"{self.url}/api/{name}" for name in apis}
        client = {"cloudsuite_client_id": CLIENT_ID, "cloudsuite_client_secret": CLIENT_SECRET}
        page = {"cloudsuite_authorize_url": "https://accounts.example/authorize"}
        return {**urls, **client, **page, "cloudsuite_scope_base": BASE}

    def script(self, door: str, *answers: Script) -> None:
        self.scripts.setdefault(door, []).extend(answers)

    def asked(self, door: str) -> list[Seen]:
        return [seen for seen in self.seen if seen.door == door]

    @property
    def refresh_count(self) -> int:
        """How often it was asked to refresh a token."""
        forms = [seen.form for seen in self.asked("token")]
        return len([form for form in forms if form["grant_type"] == "refresh_token"])

    def consent(self, url: str, account: str = "one", untick: Iterable[str] = ()) -> str:
        """What the user does on the consent page: the path and query of the redirect."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        scopes = set(asked["scope"].split()) - {f"{BASE}/{suffix}" for suffix in untick}
        code, state = f"code-canary-{next(self._numbers)}", asked["state"]
        consented = Consented(account, scopes, asked["redirect_uri"], asked["code_challenge"])
        self.codes[code] = consented
        self.states.append(state)
        back = urlsplit(asked["redirect_uri"]).path
        return f"{back}?{urlencode({'state': state, 'code': code, 'scope': ' '.join(scopes)})}"

    def _serve(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        seen = _seen(environ)
        self.seen.append(seen)
        reply, scripts = None, self.scripts.get(seen.door, [])
        while reply is None and scripts:
            script = scripts.pop(0)
            reply = script(seen) if callable(script) else script
        reply = reply or getattr(self, f"_{seen.door}")(seen)
        body = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        sent = body.encode()
        headers = [("Content-Type", reply.kind), ("Content-Length", str(len(sent)))]
        start_response(f"{reply.status} X", headers)
        return [sent]

    def _token(self, seen: Seen) -> Reply:
        form = seen.form
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
            return Reply(401, {"error": "invalid_client"})
        if form["grant_type"] == "refresh_token":
            return self._refreshed(form["refresh_token"])
        consented = self.codes.pop(form["code"], None)
        challenge = hashlib.sha256(form["code_verifier"].encode()).digest()
        proven = consented and base64.urlsafe_b64encode(challenge).rstrip(b"=").decode()
        if not consented or (proven, form["redirect_uri"]) != (
            consented.challenge,
            consented.redirect,
        ):
            return Reply(400, {"error": "invalid_grant"})
        account = consented.account
        self.granted[account] = self.granted.get(account, set()) | consented.scopes
        scopes = self.granted[account] if self.incremental else consented.scopes
        return self._issued(account, scopes, self.gives_refresh)

    def _refreshed(self, token: str) -> Reply:
        account = self.refreshes.get(token)
        if account is None:
            if self.rotates:
                self.access.clear()
                self.refreshes.clear()
            return Reply(400, {"error": "invalid_grant"})
        if self.rotates:
            del self.refreshes[token]
        return self._issued(account, self.granted[account], self.rotates)

    def _issued(self, account: str, scopes: set[str], refresh: bool) -> Reply:
        number = next(self._numbers)
        answer = {"access_token": f"at-canary-{number}", "expires_in": self.lasts}
        self.access[answer["access_token"]] = (account, set(scopes))
        if refresh:
            answer["refresh_token"] = f"rt-canary-{number}"
            self.refreshes[answer["refresh_token"]] = account
        return Reply(200, {**answer, "scope": self.joins(scopes), "token_type": "Bearer"})

    def _userinfo(self, seen: Seen) -> Reply:
        if seen.bearer not in self.access:
            return Reply(401, {"error": "invalid_token"})
        account, _ = self.access[seen.bearer]
        return Reply(200, {"sub": f"sub-{account}", "email": f"{account}@example.com"})

    def _revoke(self, seen: Seen) -> Reply:
        known = self.refreshes.pop(seen.form["token"], None) or self.access.pop(
            seen.form["token"], None
        )
        return Reply(200, {}) if known else Reply(400, {"error": "invalid_token"})

    def _api(self, seen: Seen) -> Reply:
        """Any live token will do: which scopes are missing is for a test to script."""
        if seen.bearer not in self.access:
            return Reply(401, {"error": {"code": 401, "status": "UNAUTHENTICATED"}})
        return Reply(200, {"path": seen.path, "account": self.access[seen.bearer][0]})

    def _probe(self, seen: Seen) -> Reply:
        return Reply(200, {"asked": seen.query or json.loads(seen.body or b"{}")})


def _seen(environ: dict[str, Any]) -> Seen:
    headers = {
        k[5:].replace("_", "-").lower(): v for k, v in environ.items() if k.startswith("HTTP_")
    }
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    form = dict(parse_qsl(body.decode())) if "form" in environ.get("CONTENT_TYPE", "") else {}
    path, query = environ["PATH_INFO"], dict(parse_qsl(environ["QUERY_STRING"]))
    door = path.split("/")[1]
    return Seen(door, environ["REQUEST_METHOD"], path, query, form, headers, body)
