"""The app of docs/api.md, copied whole, with `useChat` in a browser against the service."""

import re
import subprocess

import pytest
from playwright.sync_api import Page, expect

from config import ROOT
from service.auth.tokens import issue
from tests.npm import install
from tests.services import Service, settings_for

HERE = ROOT / "tests/app"
PAGE = '<!doctype html><title>App</title><div id="app"></div><script src="/app.js"></script>'
COSTLY = 'call integrations.call with {"endpoint": "search-images", "body": {"query": "red kites"}}'


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """The document's example, bundled as its reader would."""
    install(HERE)
    chapter = (ROOT / "docs/api.md").read_text().split("### useChat")[1]
    [source, *_] = re.findall(r"```jsx\n(.*?)```", chapter, re.S)
    out = tmp_path_factory.mktemp("app") / "app.js"
    esbuild = [HERE / "node_modules/.bin/esbuild", "--bundle", "--loader=jsx", "--jsx=automatic"]
    options = ["--define:process.env.NODE_ENV='production'", f"--outfile={out}"]
    done = subprocess.run(
        [*esbuild, *options], cwd=HERE, input=source, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def page(bundle, browser, databases):
    """The app on the service's origin, of a user with a token."""
    service = Service(databases.make("sqlite"), RESUME_SECONDS=20)
    try:
        service.start()
        shown = browser.new_page()
        token = issue(settings_for(service.database_url), "alice", "user", 3600)
        shown.add_init_script(f"sessionStorage.setItem('token', '{token}')")
        shown.route("**/app", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
        shown.route("**/app.js", lambda route: route.fulfill(path=bundle))
        shown.goto(f"{service.url}/app")
        yield shown
        shown.close()
    finally:
        service.remove()


def send(page: Page, text: str):
    page.get_by_label("Message").fill(text)
    page.get_by_label("Message").press("Enter")


def is_ready(page: Page) -> None:
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def test_the_app_of_the_document_does_what_it_says(page):
    answers = page.get_by_role("article", name="assistant")
    alert = page.get_by_role("alert")
    send(page, "Describe ai-chats")
    expect(answers.last).to_contain_text("schema.describe: output-available")
    expect(answers.last).to_contain_text("has the columns")
    is_ready(page)
    send(page, COSTLY)
    page.get_by_role("button", name="Allow once").click()
    expect(answers.last).to_contain_text("search-images: once")
    is_ready(page)
    expect(answers.last).to_contain_text("integrations.call: output-available")
    send(page, "count to 2000")
    expect(answers.last).to_contain_text("1 2 3")
    page.get_by_role("button", name="Stop").click()
    is_ready(page)
    expect(alert).to_have_count(0)
    send(page, "count to 20 /fail error-midway")
    expect(alert).not_to_be_empty()
    assert "{" not in alert.inner_text()
    page.reload()
    expect(answers).to_have_count(3)  # of the reply that failed nothing is stored
    expect(answers.nth(1)).to_contain_text("search-images: once")
    send(page, "count to 400")
    expect(answers.last).to_contain_text("1 2 3")
    page.reload()
    expect(answers.last).to_contain_text("1 2 3")
    expect(page.get_by_role("article", name="user").last).to_have_text("count to 400")
    expect(answers.last).to_contain_text("398 399 400")
    is_ready(page)
    expect(answers).to_have_count(4)
