"""The app of docs/api.md, copied whole, with `useChat` in a browser against the service."""

import json
import os
import re
import shutil
import subprocess
from functools import cache

import pytest
from playwright.sync_api import Page, expect

from config import ROOT
from service.auth.tokens import Verifier, issue
from tests.browser.console_opening import people
from tests.browser.office_suite import allow
from tests.npm import install
from tests.services import SECRET, Service, require, settings_for

BROKEN = (  # a running reply that is read on, and fails
    {
        "type": "start",
        "messageId": "asst_broken",
        "messageMetadata": {"userMessage": {"id": "m-new", "content": "repeat after me: new"}},
    },
    {"type": "text-start", "id": "0"},
    {"type": "text-delta", "id": "0", "delta": "ne"},
    {"type": "error", "errorText": "It broke."},
)
API = (ROOT / "docs/api.md").read_text()
OF_VERSION_5 = ["--alias:ai=ai-5", "--alias:@ai-sdk/react=ai-sdk-react-2"]
HERE = ROOT / "tests/app"
PAGE = '<!doctype html><title>App</title><div id="app"></div><script src="/app.js"></script>'
COSTLY = 'call integrations.call with {"endpoint": "search-images", "body": {"query": "red kites"}}'


NEEDS_AN_ACCOUNT = 'call integrations.call with {"endpoint": "cloudsuite/mail-list", "body": {}}'
ENTRIES = """async () => {
    const headers = { Authorization: `Bearer ${sessionStorage.token}` };
    const answer = await fetch('/api/credits', { headers });
    return (await answer.json()).entries;
}"""
TO_RESUME = "**/api/ai/chat/*/stream"


# The first test has all that the two versions do differently; the others are about the app's code.
on_version_6 = pytest.mark.parametrize("bundle", [[]], ids=["ai-6"], indirect=True)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    """Bundles the document's example, as its reader would, once with the same options."""
    install(HERE)

    @cache
    def make(*options):
        out = tmp_path_factory.mktemp("app") / "app.js"
        make_bundle(out, *options)
        return out

    return make


def make_bundle(out, *options):
    chapter = API.split("### useChat")[1]
    [source, *_] = re.findall(r"```jsx\n(.*?)```", chapter, re.S)
    esbuild = [HERE / "node_modules/.bin/esbuild", "--bundle", "--loader=jsx", "--jsx=automatic"]
    production = "--define:process.env.NODE_ENV='production'"
    done = subprocess.run(
        [*esbuild, production, f"--outfile={out}", *options],
        cwd=HERE,
        input=source,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(params=[OF_VERSION_5, []], ids=["ai-5", "ai-6"])
def bundle(request, bundles):
    """The document's example with one version of its packages."""
    return bundles(*request.param)


# The page is painted with each word of a reply. It is to last as long with few words.
SLOW = {"RESUME_SECONDS": 20, "EXTENSIONS": "tests.browser.slow_replies"}


@pytest.fixture(scope="module")
def service(databases):
    with Service(databases.make("sqlite"), **SLOW) as running:
        yield running.start()


@pytest.fixture(scope="module")
def context(browser):
    """One for all pages, as for the tabs of one browser: a new one costs as much as most tests."""
    with browser.new_context() as made:
        yield made


@pytest.fixture
def page(bundle, context, service):
    """The app on the service's origin, of a new user with a token."""
    shown = context.new_page()
    token = issue(settings_for(service.database_url), f"person-{next(people)}", "user", 3600)
    shown.add_init_script(f"sessionStorage.setItem('token', '{token}')")
    shown.route("**/app", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
    shown.route("**/app.js", lambda route: route.fulfill(path=bundle))
    shown.goto(f"{service.url}/app")
    yield shown
    shown.close()


def send(page: Page, text: str):
    page.get_by_label("Message").fill(text)
    page.get_by_label("Message").press("Enter")


def is_ready(page: Page) -> None:
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def test_the_app_of_the_document_does_what_it_says(page):
    answers = page.get_by_role("article", name="assistant")
    alert = page.get_by_role("alert")
    is_ready(page)
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
    send(page, "count to 5 /fail error-midway")
    expect(alert).not_to_be_empty()
    assert "{" not in alert.inner_text()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("article", name="user")).to_have_count(4)  # the same message
    expect(alert).not_to_be_empty()
    page.reload()
    expect(answers).to_have_count(3)  # of the reply that failed nothing is stored
    expect(answers.nth(1)).to_contain_text("search-images: once")
    is_ready(page)
    send(page, "count to 30")
    expect(answers.last).to_contain_text("1 2 3")
    page.reload()
    expect(answers.last).to_contain_text("1 2 3")
    expect(page.get_by_role("article", name="user").last).to_have_text("count to 30")
    expect(answers.last).to_contain_text("28 29 30")
    is_ready(page)
    expect(answers).to_have_count(4)


@on_version_6
def test_the_app_connects_an_account_that_a_call_waits_for(page):
    answers = page.get_by_role("article", name="assistant")
    is_ready(page)
    send(page, NEEDS_AN_ACCOUNT)
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Connect").click()
    allow(opened.value)
    expect(answers.last).to_contain_text("cloudsuite: granted")
    page.get_by_role("button", name="Allow once").click()
    is_ready(page)
    expect(answers.last).to_contain_text("integrations.call: output-available")


@on_version_6
def test_the_app_closes_the_window_of_an_account_that_is_connected_meanwhile(page):
    """The call of a consent has no parameters, which most endpoints refuse once it is given."""
    refusal = {"error": "invalid_request", "message": "to: Missing data for required field."}
    asked = "**/api/integrations/cloudsuite/mail-list"
    page.route(asked, lambda route: route.fulfill(status=400, json=refusal))
    is_ready(page)
    send(page, NEEDS_AN_ACCOUNT)
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Connect").click()
    if not opened.value.is_closed():
        opened.value.wait_for_event("close")


@on_version_6
def test_the_app_asks_again_what_failed_and_not_what_has_its_answer(page):
    answers, users = (page.get_by_role("article", name=role) for role in ("assistant", "user"))
    is_ready(page)
    send(page, "repeat after me: old")
    is_ready(page)
    chunks = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in BROKEN)
    page.route(
        TO_RESUME, lambda route: route.fulfill(body=chunks, content_type="text/event-stream")
    )
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("It broke.")
    expect(users).to_have_text(["repeat after me: old", "repeat after me: new"])
    expect(answers).to_have_text(["old"])
    with page.expect_request("**/api/ai/chat") as sent:
        page.get_by_role("button", name="Try again").click()
    assert sent.value.post_data_json["userMessageId"] == "m-new"
    expect(answers).to_have_text(["old", "new"])


@on_version_6
def test_the_app_offers_no_second_try_of_what_is_stored(page):
    is_ready(page)
    refusal = {"error": "unavailable", "message": "Not now."}
    page.route(TO_RESUME, lambda route: route.fulfill(status=503, json=refusal))
    page.reload()
    expect(page.get_by_role("alert")).to_have_text("Not now.")
    send(page, "repeat after me: old")
    expect(page.get_by_role("article", name="assistant")).to_have_text("old")
    is_ready(page)  # the reply is stored
    page.reload()
    expect(page.get_by_role("alert")).to_have_text("Not now.")
    expect(page.get_by_role("article", name="assistant")).to_have_text("old")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


@on_version_6
def test_a_second_try_after_a_lost_connection_gets_the_stored_answer(page):
    """The answer is stored, and the page has not got it."""
    is_ready(page)
    turn = "**/api/ai/chat"
    page.route(turn, lambda route: (route.fetch(), route.abort()), times=1)
    send(page, "repeat after me: once")
    with page.expect_response(turn) as answered:
        page.get_by_role("button", name="Try again").click()
    assert answered.value.status == 200
    expect(page.get_by_role("article", name="assistant")).to_have_text("once")
    is_ready(page)
    entries = page.evaluate(ENTRIES)
    assert [entry["kind"] for entry in entries] == ["charge", "grant"]


@on_version_6
def test_the_app_shows_a_reply_that_ends_while_the_page_is_loaded(page):
    """It is too late for the list of messages, and too early for the resumed stream."""
    is_ready(page)
    send(page, "count to 24")
    answers = page.get_by_role("article", name="assistant")
    expect(answers.last).to_contain_text("1 2 3")
    page.route(TO_RESUME, lambda route: (page.wait_for_timeout(5000), route.continue_()))
    page.reload()
    expect(answers.last).to_contain_text("22 23 24")
    expect(page.get_by_role("article", name="user")).to_have_text(["count to 24"])
    is_ready(page)


@pytest.mark.parametrize(("printed_id", "subject"), [("'carol'", "carol"), ("7", "7")])
def test_the_printed_backend_signs_a_token_that_is_taken(databases, tmp_path, printed_id, subject):
    node = shutil.which("node")
    require(node, "Node.js (nodejs)")
    [printed] = re.findall(r"```js\n(import \{ createHmac.*?)```", API, re.S)
    (tmp_path / "token.mjs").write_text(
        f"{printed}\nconsole.log(tokenFor({{id: {printed_id}, name: 'Carol'}}))"
    )
    environment = {"PATH": os.environ["PATH"], "AUTH_SECRET": SECRET}
    done = subprocess.run(
        [node, tmp_path / "token.mjs"], env=environment, capture_output=True, text=True, check=True
    )
    claims = Verifier(settings_for(databases.make("sqlite")), None).verify(done.stdout.strip())
    assert (claims.subject, claims.role, claims.name) == (subject, "user", "Carol")
    assert claims.expires - claims.issued == 3600
