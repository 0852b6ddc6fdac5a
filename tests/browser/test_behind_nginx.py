"""The console and a widget behind deploy/nginx.conf, which speaks HTTP/2 to browsers."""

import re
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from service.auth.tokens import issue
from tests.browser.canvas_page import FRAME
from tests.browser.page import Console
from tests.browser.tabs import LOOK, PATIENCE
from tests.nginx import run_nginx
from tests.services import Service, free_port, settings_for, wait_for

HOST = "console.localhost"  # a name of this machine to browsers, and a public one to the service
TASK = 'call records.create with {"collection": "tasks", "data": {"title": "Print the badges"}}'


@pytest.fixture(scope="module")
def port():
    return free_port()


@pytest.fixture(scope="module")
def served(databases, port):
    public = {"PUBLIC_URL": f"https://{HOST}:{port}", "SANDBOX_ANYWHERE": 1}
    with Service(databases.make("sqlite"), **public) as service:
        yield service.start()


@pytest.fixture(scope="module")
def nginx(served, tmp_path_factory, port):
    with run_nginx(served.port, tmp_path_factory.mktemp("nginx"), port) as made:
        yield made


@pytest.fixture
def console(browser, nginx, served, port):
    context = browser.new_context(**LOOK, ignore_https_errors=True)
    context.set_default_timeout(PATIENCE)
    place = SimpleNamespace(url=f"https://{HOST}:{port}")
    token = issue(settings_for(served.database_url), "alice", "user", 3600)
    made = Console(context.new_page(), place, token, "alice")
    yield made
    assert made.leave() == []
    context.close()


def protocols(nginx, path):
    """The protocols of the requests for a path, as nginx has logged them."""
    return re.findall(rf'"GET {path}\S* (\S+)"', nginx.logged())


def test_files_replies_changes_and_a_widget_come_through_nginx(console, nginx):
    with console.page.expect_websocket() as opened:
        console.sign_in()
    assert opened.value.url == f"wss{console.service.url[5:]}/api/records/socket"
    console.ask(TASK)
    expect(console.table("Tasks").get_by_label("Title of")).to_have_value("Print the badges")
    assert set(protocols(nginx, r"/browser/\w+/console/")) == {"HTTP/2.0"}
    console.page.evaluate(FRAME, "/w/note")
    expect(console.page.frame_locator("iframe").locator("textarea")).to_be_visible()
    wait_for(lambda: len(protocols(nginx, "/browser/widgets/")) > 20)
    assert set(protocols(nginx, "/browser/widgets/")) == {"HTTP/2.0"}
    console.page.goto("about:blank")
    wait_for(lambda: protocols(nginx, "/api/records/socket") == ["HTTP/1.1"])
