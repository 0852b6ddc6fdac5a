"""The client of the socket in docs/api.md, as a reader copies it."""

import json
import re
import signal

import pytest

from config import ROOT
from service.auth.tokens import issue
from tests.services import Service, settings_for

CHAPTER = (ROOT / "docs/api.md").read_text().split("\n## The socket")[1].split("\n## ")[0]
[CLIENT] = re.findall(r"```js\n(.*?)```", CHAPTER, re.S)
FOLLOW = """async ([token, where]) => {
    const { follow } = await import('/follow.js');
    window.titles = [];
    window.stop = follow('tasks', {
        token: async () => token,
        where: where ?? undefined,
        show: (records) => { window.titles = records.map(({ data }) => data.title); },
        fail: ({ error, details }) => { window.refusal = { error, details }; },
    });
}"""


@pytest.fixture(scope="module")
def service(databases):
    with Service(databases.make("sqlite")) as running:
        yield running.start()


@pytest.fixture
def page(browser, service):
    """Any page of the service's origin."""
    shown = browser.new_page()
    script = {"body": CLIENT, "content_type": "text/javascript"}
    shown.route("**/follow.js", lambda route: route.fulfill(**script))
    shown.goto(f"{service.url}/healthz")
    yield shown
    shown.close()


@pytest.fixture
def token(service):
    return issue(settings_for(service.database_url), "alice", "user", 3600)


def create(page, service, token, title):
    url, headers = f"{service.url}/api/records/tasks", {"Authorization": f"Bearer {token}"}
    answer = page.request.post(url, data={"title": title}, headers=headers)
    assert answer.status == 201


def test_the_client_goes_on_from_its_cursor_when_its_connection_is_lost(page, service, token):
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda text: sent.append(text)))
    page.evaluate(FOLLOW, [token, None])
    create(page, service, token, "before")
    page.wait_for_function("window.titles.join() === 'before'")
    service.kill_worker(signal.SIGKILL)
    create(page, service, token, "after")
    page.wait_for_function("window.titles.join() === 'before,after'")
    first, *others = map(json.loads, sent)
    assert "cursor" not in first
    assert others
    assert all("cursor" in message for message in others)
    page.evaluate("window.stop()")
    create(page, service, token, "unheard")
    assert page.evaluate("window.titles.join()") == "before,after"


def test_the_client_tells_why_it_is_refused(page, token):
    page.evaluate(FOLLOW, [token, {"no": 1}])
    page.wait_for_function("window.refusal")
    refusal = page.evaluate("window.refusal")
    assert refusal["error"] == "invalid_request"
    assert list(refusal["details"]) == ["where.no"]
