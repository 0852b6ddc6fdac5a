"""How a simulated user reaches the service: through nginx, again and again until it is answered."""

import time
from typing import Any

import gevent
import requests

from service.auth.tokens import issue
from tests.load.deployment import Deployment
from tests.load.observations import Observations
from tests.services import settings_for

PATIENCE = 120.0  # seconds until something counts as stuck
HANGS = 90.0  # of one request, more than any limit of the service
EXPECTED = (502, 503, 504)  # while a worker or the database is away
LEAKS = ("Traceback", "psycopg", "sqlalchemy", "SELECT ", "INSERT ", "/usr/", "gevent")


class RetryingClient:
    def __init__(self, deployment: Deployment, observations: Observations) -> None:
        self._observations, self._url = observations, deployment.nginx.url
        token = issue(settings_for(deployment.url), observations.subject, "user", 24 * 3600)
        self.session = deployment.nginx.session()
        self.session.headers["Authorization"] = f"Bearer {token}"
        self.token = token

    def send(
        self, method: str, path: str, body: Any = None, stream: bool = False, **headers: str
    ) -> requests.Response | None:
        """One request; None if its connection broke."""
        self._observations.requests += 1
        try:
            response = self.session.request(
                method, self._url + path, json=body, headers=headers, stream=stream, timeout=HANGS
            )
        except requests.Timeout:
            self._observations.odd.append(f"{method} {path} was not answered in {HANGS} s")
            return None
        except requests.RequestException:
            return None
        self._note(method, path, response, stream)
        return response

    def insist(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> requests.Response | None:
        """Send until it is answered; None if nobody ever does."""
        deadline, pause = time.monotonic() + PATIENCE, 0.1
        while time.monotonic() < deadline:
            response = self.send(method, path, body, **headers)
            if response is not None and response.status_code < 500:
                return response
            gevent.sleep(pause)
            pause = min(2.0, 1.5 * pause)
        self._observations.stuck.append(f"{method} {path}")
        return None

    def page(self, collection: str, query: str = "") -> list[dict[str, Any]]:
        """The first 200 records that the user may read."""
        path = f"/api/records/{collection}?limit=200{query}"
        response = self.insist("GET", path)
        return response.json()["records"] if response is not None and response.ok else []

    def _note(self, method: str, path: str, response: requests.Response, stream: bool) -> None:
        status = response.status_code
        text = "" if stream and status == 200 else response.text
        if status >= 500 and status not in EXPECTED:
            self._observations.odd.append(f"{method} {path}: {status} {text[:200]}")
        if status != 200 and any(leak in text for leak in LEAKS):
            self._observations.odd.append(f"{method} {path}: tells of the inside: {text[:200]}")
