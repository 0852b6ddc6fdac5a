"""A browser of a person who signs in, without a page."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import gevent
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.sign_in.identity_provider import IdentityProvider

COOKIE = "console_session"


@dataclass
class Browser:
    client: FlaskClient
    provider: IdentityProvider

    def begin(self) -> str:
        """The address of the provider's page."""
        return self.client.get("/console/sign-in").headers["Location"]

    def arrive(self, url: str) -> str:
        """Follow the provider's redirect; the problem that the page is told of, or ""."""
        parts = urlsplit(url)
        answer = self.client.get(f"{parts.path}?{parts.query}")
        to = urlsplit(answer.headers["Location"])
        assert (answer.status_code, to.netloc, to.path) == (303, "", "/")
        return parse_qs(to.query).get("sign-in", [""])[0]

    def sign_in(self) -> str:
        return self.arrive(self.provider.agree(self.begin()))

    def post(self, path: str, **headers: str) -> TestResponse:
        return self.client.post(
            f"/console/{path}", headers={"Origin": "http://localhost", **headers}
        )

    def token(self) -> dict[str, Any]:
        answer = self.post("token")
        assert answer.status_code == 200, answer.text
        return answer.json

    def api(self, **headers: str) -> int:
        return self.client.get("/api/ai/models", headers=headers).status_code

    @property
    def session_id(self) -> str:
        cookie = self.client.get_cookie(COOKIE)
        return cookie.value if cookie else ""


def in_a_tab(app, session_id):
    """Ask for the page's token in another greenlet, which returns the status and the token."""

    def ask():
        tab = app.test_client()
        tab.set_cookie(COOKIE, session_id)
        answer = tab.post("/console/token", headers={"Origin": "http://localhost"})
        return answer.status_code, answer.json.get("token")

    return gevent.spawn(ask)
