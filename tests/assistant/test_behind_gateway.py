"""A grant that is missing at the other instance: shown, waited for in vain, and told."""

import json

import pytest

from tests.assistant.conftest import DONE, call
from tests.people import text_of
from tests.services import on_sqlite
from tests.upstream import Answer, ScriptedUpstream

pytestmark = on_sqlite
CONTACTS = "cloudsuite/contacts-list"
SCOPES = ["https://suite.example/auth/contacts.readonly"]
PAYLOAD = {"requiresOAuth": True, "provider": "cloudsuite", "scopes": SCOPES, "authUrl": "u"}


@pytest.fixture
def there():
    other = ScriptedUpstream()
    told = json.dumps({"success": True, "data": PAYLOAD})
    other.answers = [Answer(told, headers={"Content-Type": "application/json"})]
    yield other
    other.stop()


@pytest.fixture
def configure(there) -> dict:
    return {"integrations_gateway_url": there.url, "approval_seconds": 2}


def test_a_grant_missing_there_is_shown_and_told(alice, begin, chat, served_by, there):
    served_by.answers = [call(CONTACTS), DONE]
    turn = begin(alice, chat)
    path = f"/api/ai/chat/{chat}/approvals/{turn.part('data-approval')['toolCallId']}"
    assert alice.post(path, {"decision": "once"}).status_code == 200
    assert turn.part("data-consent")["scopes"] == SCOPES
    chunks = turn.end()
    assert turn.part("data-consent", "expired")
    error = next(one for one in chunks if one["type"] == "tool-output-error")
    assert "contacts.readonly" in error["errorText"]
    assert (text_of(chunks), len(there.seen)) == ("done", 1)
