"""The sealing keys are changed by the steps of docs/deployment.md while calls go on."""

from collections.abc import Iterator
from typing import Any

import gevent
import pytest
import requests

from config import ROOT
from service.auth.tokens import issue
from tests.faults.unit import Unit
from tests.integrations.oauth.provider import Provider, Reply, Seen
from tests.services import environment, flask, free_port, settings_for, wait_for

FIRST, SECOND = "first:" + "A" * 43 + "=", "second:" + "B" * 42 + "A="
LIST = "/api/integrations/cloudsuite/drive-list"
USERS = 3


class Drive(Provider):
    """Its tokens are used up at once, so nearly each call refreshes them and seals new ones. A
    refresh token that is used twice ends its grant."""

    def __init__(self) -> None:
        super().__init__()
        self.rotates, self.lasts = True, 1

    def _api(self, seen: Seen) -> Reply:
        if seen.bearer not in self.access:
            return Reply(401, {"error": {"code": 401, "status": "UNAUTHENTICATED"}})
        return Reply(200, {"files": []})


class Caller:
    """A user with a connected account who calls again and again."""

    def __init__(self, unit: Unit, drive: Drive, number: int) -> None:
        settings = settings_for(unit.settings["DATABASE_URL"])
        self._url = f"http://127.0.0.1:{unit.settings['PORT']}"
        token = issue(settings, f"user-{number}", "user", 3600)
        self._headers = {"Authorization": f"Bearer {token}"}
        self.answered, self.failed, self._ended = 0, [], False
        with requests.Session() as browser:
            asked = browser.post(self._url + LIST, json={}, headers=self._headers, timeout=30)
            back = drive.consent(asked.json()["data"]["authUrl"], f"account-{number}")
            page = browser.get(self._url + back, timeout=30)
            assert 'data-outcome="connected"' in page.text, page.text
        self._greenlet = gevent.spawn(self._repeat)

    def end(self) -> None:
        self._ended = True
        self._greenlet.get()

    def _call(self) -> requests.Response:
        return requests.post(self._url + LIST, json={}, headers=self._headers, timeout=30)

    def _repeat(self) -> None:
        while not self._ended:
            answer = self._call()
            if answer.ok and "files" in answer.json()["data"]:
                self.answered += 1
            else:
                self.failed.append(answer.text)
            gevent.sleep(0.5)  # each call refreshes tokens and seals them


@pytest.fixture
def drive() -> Iterator[Drive]:
    made = Drive()
    yield made
    made.stop()


@pytest.fixture
def unit(databases, drive, tmp_path) -> Iterator[Unit]:
    url = databases.make("postgresql")
    values: dict[str, Any] = {name.upper(): value for name, value in drive.settings().items()}
    values |= {"SANDBOX": 0, "WEB_CONCURRENCY": 2, "TOKEN_ENCRYPTION_KEYS": FIRST}
    made = Unit(ROOT, tmp_path, environment(url, PORT=free_port(), **values))
    made.start(migrate=False)
    yield made
    made.stop()


def test_no_call_fails_while_the_keys_change(unit, drive):
    callers = [Caller(unit, drive, number) for number in range(USERS)]

    def calls() -> None:
        assert not [failed for caller in callers for failed in caller.failed]
        before = [caller.answered for caller in callers]
        wait_for(lambda: all(c.answered > b + 3 for c, b in zip(callers, before, strict=True)), 60)

    def reload(keys: str) -> None:
        old = unit.main
        unit.settings["TOKEN_ENCRYPTION_KEYS"] = keys
        assert unit.reload(migrate=False), unit.journal
        wait_for(lambda: not unit.runs(old), 40)
        calls()

    def rotate() -> str:
        both = {"TOKEN_ENCRYPTION_KEYS": f"{SECOND},{FIRST}"}
        return flask(unit.settings["DATABASE_URL"], "keys", "rotate", **both)

    calls()
    reload(f"{FIRST},{SECOND}")
    reload(f"{SECOND},{FIRST}")
    first = rotate()
    calls()
    assert rotate() == "0 sealed again, 0 could not be opened"
    reload(SECOND)
    for caller in callers:
        caller.end()
    print(f"{sum(caller.answered for caller in callers)} calls; {first}")
    assert not [failed for caller in callers for failed in caller.failed]
