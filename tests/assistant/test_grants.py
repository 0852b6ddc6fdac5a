"""A missing grant is shown in the conversation, and the same turn goes on once it is there."""

import gevent
import pytest
from sqlalchemy import select, update

from service.chat import autonomous
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.integrations.models import Grant
from service.sandbox.suite.models import SuiteAccess, SuiteToken
from tests.assistant.endpoint_calls import DONE, allow, call
from tests.integrations.office_suite import connect
from tests.people import text_of
from tests.services import on_sqlite

CONTACTS = "cloudsuite/contacts-list"


def asked(begin, alice, chat, served_by):
    served_by.answers = [call(CONTACTS), DONE]
    turn = begin(alice, chat)
    return turn, turn.part("data-consent")


@on_sqlite
def test_the_part_of_a_missing_grant_says_what_is_missing_and_has_no_url(
    alice, begin, chat, served_by
):
    turn, part = asked(begin, alice, chat, served_by)
    assert part.keys() == {"toolCallId", "endpoint", "provider", "scopes", "expiresAt", "state"}
    assert (part["endpoint"], part["provider"]) == (CONTACTS, "cloudsuite")
    assert [scope.rpartition("/")[2] for scope in part["scopes"]] == ["contacts.readonly"]
    assert b"http://127.0.0.1" not in turn.text


@on_sqlite
def test_the_call_goes_on_once_the_grant_is_there(alice, begin, chat, served_by):
    turn, part = asked(begin, alice, chat, served_by)
    connect(alice, CONTACTS)
    allow(alice, chat, turn.part("data-approval"))
    chunks = turn.end()
    assert turn.part("data-consent", "granted")["toolCallId"] == part["toolCallId"]
    assert [one for one in chunks if one["type"] == "tool-output-available"]
    assert text_of(chunks) == "done"


@pytest.mark.settings(extensions="tests.sandbox.other_vendors")
def test_in_an_autonomous_call_the_owner_is_told_what_to_connect(app, served_by):
    served_by.answers = [call("clips-list"), DONE]
    with app.app_context():
        assert "".join(autonomous.ask(app, "go")) == "done"
    assert b"has to connect clips and allow clip_read for this" in served_by.seen[-1].body


@on_sqlite
def test_a_grant_for_the_apps_own_files_is_not_the_one_that_is_waited_for(
    alice, begin, chat, served_by
):
    connect(alice, "drive-list")
    listed = alice.post("/api/integrations/drive-list", {}).json["data"]["files"]
    alice.delete("/api/integrations/oauth/cloudsuite/disconnect")
    connect(alice, "drive-upload")
    others = next(file["id"] for file in listed if not file["isFolder"])
    served_by.answers = [call("drive-download", fileId=others), DONE]
    turn = begin(alice, chat)
    allow(alice, chat, turn.part("data-approval"))
    [scope] = turn.part("data-consent")["scopes"]
    assert scope.endswith("/drive.readonly")
    connect(alice, "drive-download")
    assert [one for one in turn.end() if one["type"] == "tool-output-available"]
    assert turn.part("data-consent", "granted")


def test_without_a_grant_one_for_the_apps_own_files_is_enough(alice, begin, chat, served_by):
    served_by.answers = [call("drive-list"), DONE]
    turn = begin(alice, chat)
    turn.part("data-consent")
    connect(alice, "drive-upload")
    allow(alice, chat, turn.part("data-approval"))
    assert [one for one in turn.end() if one["type"] == "tool-output-available"]
    assert turn.part("data-consent", "granted")


def take_back_scopes(app):
    """The user has unticked what they allowed, on the provider's own page."""
    with app.app_context(), write_transaction() as session:
        for table in (SuiteToken, SuiteAccess):
            session.execute(update(table).values(scopes=[]))


def test_a_scope_that_was_taken_back_there_is_waited_for(app, alice, begin, chat, served_by):
    connect(alice, CONTACTS)
    take_back_scopes(app)
    served_by.answers = [call(CONTACTS), DONE]
    turn = begin(alice, chat)
    allow(alice, chat, turn.part("data-approval"))
    turn.part("data-consent")
    gevent.sleep(0.5)  # it looks often
    assert turn.part("data-consent")["state"] == "asked"
    connect(alice, CONTACTS)
    assert [one for one in turn.end() if one["type"] == "tool-output-available"]
    assert turn.part("data-consent", "granted")


def test_a_refresh_is_not_the_consent_that_is_waited_for(app, alice, begin, chat, served_by):
    connect(alice, CONTACTS)
    take_back_scopes(app)
    served_by.answers = [call(CONTACTS), DONE]
    turn = begin(alice, chat)
    allow(alice, chat, turn.part("data-approval"))
    turn.part("data-consent")
    expire(app)
    before = version(app)
    assert alice.post(f"/api/integrations/{CONTACTS}", {}).json["data"]["requiresOAuth"]
    assert version(app) > before
    gevent.sleep(0.5)  # it looks often
    assert turn.part("data-consent")["state"] == "asked"


def expire(app):
    with app.app_context(), write_transaction() as session:
        session.execute(update(Grant).values(expires_at=from_now(-10)))


def version(app):
    with app.app_context():
        return db.session.scalar(select(Grant.version))


@on_sqlite
@pytest.mark.settings(approval_seconds=1)
def test_a_grant_that_does_not_come_is_told_to_the_model(alice, begin, chat, served_by):
    turn, _ = asked(begin, alice, chat, served_by)
    chunks = turn.end()
    assert turn.part("data-consent", "expired")
    error = next(one for one in chunks if one["type"] == "tool-output-error")
    assert "contacts.readonly" in error["errorText"]
    assert text_of(chunks) == "done"
