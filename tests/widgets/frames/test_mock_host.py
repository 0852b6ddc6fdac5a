"""The developers' host pretends what a user and a server can do."""

import pytest
from playwright.sync_api import expect

from tests.services import wait_for
from tests.widgets.frames.canvas import Widget


@pytest.fixture
def mocked(canvas):
    canvas.run("() => { canvas.host.close(); canvas.makeMock('speaker'); }")
    widget = Widget(canvas, "widget")
    widget.is_welcome()
    return widget


ANSWERS = {
    "reconnect": "upstream_provider_error",
    "upstream": "upstream_provider_error",
    "credits": "insufficient_credits",
    "limit": "rate_limited",
    "network": "network",
}


def test_the_server_fails_as_it_is_told(canvas, mocked):
    for number, (answer, error) in enumerate(ANSWERS.items(), 1):
        canvas.run("(answer) => { canvas.mock.settings.answer = answer; }", answer)
        mocked.ask("profnet-search-profiles", f"r{number}")
        wait_for(lambda count=number: len(mocked.answers("widget-api-response")) == count)
        response = mocked.answers("widget-api-response")[-1]
        assert response["envelope"]["error"] == error, answer
        assert ("consentId" in response) == (answer == "reconnect")
    assert canvas.calls == []


def test_the_user_decides_as_it_is_told(canvas, mocked):
    canvas.run("() => { canvas.mock.settings.approval = 'deny'; }")
    mocked.ask("search-web", "denied")
    assert mocked.answer()["envelope"]["error"] == "approval_denied"
    canvas.run("() => { canvas.mock.settings.approval = 'ask'; }")
    mocked.ask("search-web", "asked")
    expect(canvas.dialog).to_be_visible()
    assert canvas.calls == []


def test_after_a_pretended_consent_the_same_call_succeeds(canvas, mocked):
    canvas.run("() => { canvas.mock.settings.answer = 'consent'; }")
    mocked.ask("cloudsuite/contacts-list", "first")
    consent_id = mocked.answer()["consentId"]
    asked = {"type": "widget-consent-request", "requestId": "c", "consentId": consent_id}
    mocked.tell(asked)
    assert mocked.answer("widget-consent-result")["status"] == "connected"
    mocked.ask("cloudsuite/contacts-list", "again")
    wait_for(lambda: len(mocked.answers("widget-api-response")) == 2)
    assert mocked.answers("widget-api-response")[1]["envelope"] == {"success": True, "data": {}}


def test_a_pretended_consent_is_asked_for_by_the_integration_of_the_endpoint(canvas, mocked):
    canvas.run(
        "() => { canvas.mock.close(); canvas.policies['generate-video'].integration = 'studio';"
        "canvas.makeMock('speaker'); canvas.mock.settings.answer = 'consent'; }"
    )
    mocked.is_welcome()
    mocked.ask("generate-video")
    assert mocked.answer()["envelope"]["data"]["provider"] == "studio"
