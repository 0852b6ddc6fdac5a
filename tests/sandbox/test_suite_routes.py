"""The suite's mail, calendar and files, called as their routes call them."""

import base64
import json
from dataclasses import replace
from email.message import EmailMessage

import pytest

from service.database.access import write_transaction
from service.sandbox.suite import calendar, contents, drive, mail
from service.sandbox.suite.client import ACCOUNTS
from service.sandbox.suite.routes import ApiError, ApiRequest
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.settings(sandbox="")]
ADA, BEN = ACCOUNTS["ada"], ACCOUNTS["ben"]
PRIMARY = {"calendar_id": "primary"}


@pytest.fixture(autouse=True)
def in_context(app):
    with app.app_context():
        yield


def asked(*scopes, account=ADA, path=None, body=None, **query):
    listed = {name: value if isinstance(value, list) else [value] for name, value in query.items()}
    sent = b"" if body is None else json.dumps(body).encode()
    return ApiRequest(account, frozenset(scopes), path or {}, listed, sent, "application/json")


def fill(account=ADA):
    with write_transaction() as session:
        contents.fill(session, account)


def send(subject="Plans", account=ADA, thread=None, **headers):
    """What the suite tells of a message that was sent."""
    letter = EmailMessage()
    for name, value in {"To": BEN.email, "Subject": subject, **headers}.items():
        letter[name.replace("_", "-")] = value
    letter.set_content("Hello.")
    raw = base64.urlsafe_b64encode(letter.as_bytes()).decode()
    thread_id = {"threadId": thread} if thread else {}
    return mail.send(asked("mail.send", account=account, body={"raw": raw, **thread_id}))


def inbox(account=BEN, **query):
    listed = mail.list_messages(asked("mail.readonly", account=account, **query))
    return [one["id"] for one in listed.get("messages", ())]


def read(message_id, account=BEN, scope="mail.readonly", **query):
    path = {"message_id": message_id}
    return mail.get(asked(scope, account=account, path=path, **query))


def headers_of(message_id, account=BEN):
    told = read(message_id, account, format="metadata")["payload"]["headers"]
    return {header["name"]: header["value"] for header in told}


def test_nobody_sees_who_gets_a_blind_copy():
    sent = send(To="x@example.com", Bcc=BEN.email)
    [got] = inbox()
    assert "Bcc" not in headers_of(got)
    assert BEN.email not in base64.urlsafe_b64decode(read(got, format="raw")["raw"]).decode()
    assert headers_of(sent["id"], ADA)["Bcc"] == BEN.email


def test_mail_goes_to_somebody_and_from_its_sender():
    send(From="Somebody Else <else@example.com>")
    assert headers_of(inbox()[0])["From"] == "Ada Sandbox <ada@suite.invalid>"
    with pytest.raises(ApiError, match="Recipient"):
        mail.send(asked("mail.send", body={"raw": ""}))
    for raw in (5, "YQ", "\u00e9"):
        with pytest.raises(ApiError):
            mail.send(asked("mail.send", body={"raw": raw}))


def test_a_reply_is_in_its_thread_with_its_id_its_reference_and_its_subject():
    first = send()
    reference = headers_of(first["id"], ADA)["Message-ID"]
    answers = {"In_Reply_To": reference}
    assert send("Re: Plans", thread=first["threadId"], **answers)["threadId"] == first["threadId"]
    for subject, thread, headers in (
        ("Re: Plans", None, answers),
        ("Re: Plans", "another", answers),
        ("Re: Plans", first["threadId"], {}),
        ("Other plans", first["threadId"], answers),
    ):
        assert send(subject, thread=thread, **headers)["threadId"] != first["threadId"]
    threads = {one: read(one)["threadId"] for one in inbox(q="subject:plans")}
    assert len(threads) == 6
    assert len(set(threads.values())) == 3, "a receiver's threads need no id"


def test_spam_and_trash_are_listed_only_where_they_are_wanted():
    for _ in range(2):
        send()
    path = {"message_id": (binned := inbox()[0])}
    mail.modify(asked("mail.modify", account=BEN, path=path, body={"addLabelIds": ["TRASH"]}))
    assert len(inbox()) == 1
    assert inbox(labelIds=["TRASH"]) == [binned]
    assert len(inbox(includeSpamTrash="true")) == 2


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 4), ("is:unread", 4), ("from:cleo", 1), ("subject:cleo", 0), ("grüße", 1),
        ("from:cleo colours", 1), ("from:cleo lunch", 0), ("from:", 0),
    ],
)  # fmt: skip
def test_a_search_of_mail(query, count):
    fill()
    assert len(inbox(ADA, q=query)) == count


def test_a_scope_for_metadata_opens_no_text():
    fill()
    [first, *_] = inbox(ADA)
    assert "body" not in read(first, ADA, "mail.metadata", format="metadata")["payload"]
    for form in ("full", "raw"):
        with pytest.raises(ApiError, match="format") as refused:
            read(first, ADA, "mail.metadata", format=form)
        assert refused.value.status == 403
    with pytest.raises(ApiError, match="'q'"):
        mail.list_messages(asked("mail.metadata", q="x"))
    only = read(first, ADA, format="metadata", metadataHeaders=["subject"])["payload"]["headers"]
    assert [header["name"] for header in only] == ["Subject"]


def test_what_an_account_begins_with_is_there_once():
    for _ in range(2):
        fill()
    assert len(inbox(ADA)) == 4
    events = calendar.list_events(asked("calendar", path=PRIMARY))["items"]
    assert len(events) == 4
    assert len(drive.list_files(asked("drive"))["files"]) == 5


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ({}, {"a", "b"}),
        ({"timeMin": "2030-01-01T10:00:00Z"}, {"b"}),  # `a` ends then
        ({"timeMin": "2030-01-01T09:59:59Z"}, {"a", "b"}),
        ({"timeMax": "2030-01-02T09:00:00Z"}, {"a"}),  # `b` begins then
        ({"timeMax": "2030-01-02T09:00:01Z"}, {"a", "b"}),
        ({"q": "ROOM"}, {"b"}),
    ],
)
def test_bounds_of_a_calendar_are_exclusive(query, titles):
    for name, day, place in (("a", 1, ""), ("b", 2, "Room 2")):
        times = {
            side: {"dateTime": f"2030-01-0{day}T{hour}:00:00Z"}
            for side, hour in (("start", "09"), ("end", "10"))
        }
        calendar.insert(
            asked("calendar", path=PRIMARY, body={"summary": name, "location": place, **times})
        )
    listed = calendar.list_events(asked("calendar", path=PRIMARY, **query))["items"]
    assert {event["summary"] for event in listed} == titles


DAY = {"start": {"date": "2030-01-02"}, "end": {"date": "2030-01-03"}}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({**DAY, "end": {"date": "2030-01-01"}}, "timeRangeEmpty"),
        ({"start": DAY["start"]}, "required"),
        ({**DAY, "start": {"date": "2030-01-02", "dateTime": "2030-01-02T09:00:00Z"}}, "required"),
        ({**DAY, "start": {"dateTime": "2030-01-02T09:00:00"}}, "badRequest"),
        ({**DAY, "start": {"dateTime": "2030-01-02T09:00:00", "timeZone": "Europe"}}, "badRequest"),
        # Another zone's hours would lead out of the calendar.
        ({side: {"dateTime": "9999-12-31T23:00:00Z"} for side in DAY}, "badRequest"),
        ({side: {"dateTime": "0001-01-01T00:00:00+14:00"} for side in DAY}, "badRequest"),
    ],
)
def test_an_event_without_clear_times_is_refused(body, reason):
    with pytest.raises(ApiError) as refused:
        calendar.insert(asked("calendar", path=PRIMARY, body=body))
    assert (refused.value.status, refused.value.reason) == (400, reason)


def test_only_ones_own_calendar_is_there_and_only_single_events_are_ordered():
    own = {"calendar_id": ADA.email}
    assert calendar.list_events(asked("calendar", path=own))["items"] == []
    with pytest.raises(ApiError, match="not found"):
        calendar.list_events(asked("calendar", path={"calendar_id": BEN.email}))
    with pytest.raises(ApiError, match="ordering"):
        calendar.list_events(asked("calendar", path=PRIMARY, orderBy="startTime"))


@pytest.mark.parametrize("size", ["0", "-1", "1001", "x", "²"])
def test_a_page_has_a_size_between_its_limits(size):
    with pytest.raises(ApiError, match="pageSize"):
        drive.list_files(asked("drive", pageSize=size))


@pytest.mark.parametrize("token", ["", "-1", "x", "²", "9" * 5000])
def test_a_page_of_a_token_that_was_not_given_out_is_refused(token):
    with pytest.raises(ApiError, match="pageToken"):
        drive.list_files(asked("drive", pageToken=token))


def test_pages_follow_each_other_to_the_end():
    fill()
    first = drive.list_files(asked("drive", pageSize="3"))
    rest = drive.list_files(asked("drive", pageSize="3", pageToken=first["nextPageToken"]))
    assert (len(first["files"]), len(rest["files"]), "nextPageToken" in rest) == (3, 2, False)


def test_files_open_as_far_as_the_scopes_go():
    fill()
    found = drive.list_files(asked("drive", q="name contains 'Read me'"))["files"]
    [theirs] = [{"file_id": one["id"]} for one in found]
    whole = asked("drive", path=theirs, alt="media")
    assert drive.get(whole).content.startswith(b"These files")
    assert drive.get(asked("drive.metadata", path=theirs))["name"] == "Read me first.txt"
    for scopes, reason in ((("drive.metadata",), "appNotAuthorizedToFile"), ((), "notFound")):
        with pytest.raises(ApiError) as refused:
            drive.get(replace(whole, scopes=frozenset({*scopes, "drive.file"})))
        assert refused.value.reason == reason
    for scopes in (("drive.metadata",), ("drive.file", "drive.readonly")):
        with pytest.raises(ApiError, match="write access"):
            drive.change(asked(*scopes, path=theirs, body={"trashed": True}))
    assert drive.list_files(asked("drive.file"))["files"] == []
