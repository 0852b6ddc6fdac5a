"""The third identical read of a turn needs no approval and is not made; only answers count."""

import pytest

from tests.assistant.endpoint_calls import DONE, call
from tests.integrations.office_suite import connect
from tests.people import text_of
from tests.permissions.scripted_calls import turn_of
from tests.services import on_sqlite, wait_for

pytestmark = on_sqlite
ANSWERED = "already answered above"
PICTURES = call("search-images", query="red kites")


def cards(turn):
    """The calls that the user was asked about, in the order of asking."""
    asked = (one["id"] for one in turn.chunks if one["type"] == "data-approval")
    return list(dict.fromkeys(asked))


def decide(person, chat, turn, *decisions):
    for number, decision in enumerate(decisions):
        wait_for(lambda number=number: len(cards(turn)) > number, 10)
        path = f"/api/ai/chat/{chat}/approvals/{cards(turn)[number]}"
        assert person.post(path, {"decision": decision}).status_code == 200


def outputs(chunks):
    ends = (one for one in chunks if one["type"].startswith("tool-output"))
    return [one.get("output") or one["errorText"] for one in ends]


def test_nobody_is_asked_for_a_read_that_will_not_be_made(alice, begin, chat, served_by):
    served_by.answers = [PICTURES, PICTURES, PICTURES, DONE]
    turn = begin(alice, chat)
    decide(alice, chat, turn, "once", "once")
    chunks = turn.end()
    assert [one == ANSWERED for one in outputs(chunks)] == [False, False, True]
    assert (len(cards(turn)), text_of(chunks)) == (2, "done")


def test_a_read_that_waited_for_its_grant_counts_once(alice, begin, chat, served_by):
    connect(alice, "drive-list")
    listed = alice.post("/api/integrations/drive-list", {}).json["data"]["files"]
    alice.delete("/api/integrations/oauth/cloudsuite/disconnect")
    connect(alice, "drive-upload")  # which opens the app's own files only
    others = next(file["id"] for file in listed if not file["isFolder"])
    served_by.answers = [*[call("drive-download", fileId=others)] * 3, DONE]
    turn = begin(alice, chat)
    decide(alice, chat, turn, "chat")
    turn.part("data-consent")
    connect(alice, "drive-download")
    assert [one == ANSWERED for one in outputs(turn.end())] == [False, False, True]


@pytest.mark.settings(extensions="tests.chat.failing_tools")
def test_a_read_that_failed_was_not_answered(alice, served_by):
    read = ("test.third-time", {})
    found = turn_of(alice, served_by, [read], [read], [read], [read, read])
    assert found == ["busy", "busy", {"time": 3}, {"time": 4}, ANSWERED]


def test_a_read_that_was_denied_was_not_answered(alice, begin, chat, served_by):
    served_by.answers = [PICTURES, PICTURES, PICTURES, DONE]
    turn = begin(alice, chat)
    decide(alice, chat, turn, "deny", "once", "once")
    assert ANSWERED not in outputs(turn.end())
