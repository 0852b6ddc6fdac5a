"""The npm package `oauth2-mock-server` as a process: what it is asked, what a test makes it say."""

import json
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests

HERE = Path(__file__).parent

BASE = "https://scopes.example/auth"
CLIENT = {"id": "the-client", "secret": "secret-canary-of-the-client"}
ACCOUNT = {"sub": "johndoe", "email": "john@example.com"}


class AuthorizationServer:
    """One process; `directory` holds what it is told and what it has been asked."""

    def __init__(self, directory: Path) -> None:
        self._script, self._seen = directory / "script.json", directory / "seen.jsonl"
        self.reset()
        self._process = subprocess.Popen(
            ["node", str(HERE / "server.mjs"), str(directory)], stdout=subprocess.PIPE, text=True
        )
        port = self._process.stdout.readline().strip()
        assert port, "the server did not start"
        self.url = f"http://127.0.0.1:{port}"

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(10)
        self._process.stdout.close()

    def reset(self) -> None:
        self._seen.write_text("")
        self._told: dict[str, Any] = {"client": CLIENT, "userinfo": ACCOUNT}
        self.script()

    def script(self, **doors: Any) -> None:
        """What its answers are from now on: `token` and `revoke` as `{statusCode, body}`,
        `userinfo` as its body, `scope` as what is granted whatever was asked."""
        self._told |= doors
        self._script.write_text(json.dumps(self._told))

    def asked(self, door: str) -> list[dict[str, Any]]:
        told = [json.loads(line) for line in self._seen.read_text().splitlines()]
        return [item for item in told if item["door"] == door]

    def consent(self, url: str) -> str:
        """Open the URL as a browser does: the path and query of the redirect."""
        with requests.get(url, timeout=10, allow_redirects=False) as response:
            assert response.status_code == 302, response.text
            back = urlsplit(response.headers["Location"])
        return f"{back.path}?{back.query}"

    def refresh(self, token: str) -> int:
        """Use a refresh token, as whoever has got hold of it; the status."""
        client = {f"client_{name}": value for name, value in CLIENT.items()}
        form = {"grant_type": "refresh_token", "refresh_token": token, **client}
        with requests.post(f"{self.url}/token", form, timeout=10) as response:
            return response.status_code

    @property
    def keys(self) -> dict[str, Any]:
        """What its tokens are signed with."""
        with requests.get(f"{self.url}/jwks", timeout=10) as response:
            return response.json()

    @property
    def settings(self) -> dict[str, str]:
        """Of an app that has this for its office suite's authorization server."""
        doors = ("authorize", "token", "revoke", "userinfo")
        urls = {f"cloudsuite_{door}_url": f"{self.url}/{door}" for door in doors}
        client = {f"cloudsuite_client_{name}": value for name, value in CLIENT.items()}
        return {**urls, **client, "cloudsuite_scope_base": BASE}
