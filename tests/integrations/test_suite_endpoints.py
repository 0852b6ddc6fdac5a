"""The cloud suite's endpoints against the sandbox's office suite, through the whole app."""

import base64
import email.policy
import random
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.integrations.everything import catalog
from service.integrations.vendors.google import drive_content
from service.integrations.vendors.google.letter import encode_message, letter, reply_to
from service.integrations.vendors.google.mailboxes import addresses
from service.integrations.vendors.google.suite import FLAGS
from service.web.errors import NotFound
from tests.depth import depth
from tests.integrations.office_suite import asked_scopes, connect, flags, payload
from tests.services import on_sqlite

SCOPES = {
    "cloudsuite/calendar-list-events": "calendar.events",
    "calendar-events": "calendar.events",
    "calendar-create-events": "calendar.events",
    "cloudsuite/mail-list": "mail.readonly",
    "cloudsuite/mail-send": "mail.modify",
    "send-email": "mail.modify",
    "mail-reply": "mail.modify",
    "cloudsuite/drive-list": "drive.readonly",
    "drive-list": "drive.readonly",
    "drive-upload": "drive.file",
    "drive-download": "drive.readonly",
    "drive-delete": "drive",
    "cloudsuite/contacts-list": "contacts.readonly",
    "contacts": "contacts.readonly",
}
IDENTITY = {"openid", "userinfo.email", "userinfo.profile"}
PAGE = "http://127.0.0.1:8000/sandbox/cloudsuite/authorize"
BINARY = bytes(range(256)) * 40 + b"\r\n--\r\n\x00"


@pytest.fixture
def mail(alice):
    connect(alice, "cloudsuite/mail-send")


@pytest.fixture
def files(alice):
    connect(alice, "drive-delete")


@pytest.fixture
def call(ask):
    """The data of a call that works."""

    def calling(endpoint, **body):
        answer = ask(endpoint, body)
        assert answer.status_code == 200, answer.json
        assert "requiresOAuth" not in answer.json["data"], answer.json
        return answer.json["data"]

    return calling


@on_sqlite
def test_each_asks_for_its_own_scope_and_no_other(alice):
    for endpoint, scope in SCOPES.items():
        told = payload(alice, endpoint)
        assert told["scopes"] == [f"https://sandbox.invalid/auth/{scope}"], endpoint
        assert asked_scopes(told["authUrl"]) == {scope, *IDENTITY}, endpoint
        page = urlsplit(told["authUrl"])
        assert f"{page.scheme}://{page.netloc}{page.path}" == PAGE


def test_the_table_of_scopes_has_every_name():
    suite = [item for item in catalog() if item.vendor.integration == "cloudsuite"]
    assert {name for item in suite for name in item.names} == set(SCOPES)
    assert all(item.price == 0 and not item.access.auto_approve for item in suite)


@on_sqlite
def test_a_consent_for_one_endpoint_opens_it(alice):
    for endpoint in SCOPES:
        connect(alice, endpoint)
        answer = alice.post(f"/api/integrations/{endpoint}", {"fileId": "no", "messageId": "no"})
        assert "requiresOAuth" not in answer.json.get("data", {}), endpoint
        alice.delete("/api/integrations/oauth/cloudsuite/disconnect")


@on_sqlite
def test_what_opens_only_the_apps_own_files_is_enough_for_these(alice, call):
    connect(alice, "drive-upload")
    stored = call("drive-upload", name="a.txt", content="a")
    assert flags(alice)["drive"] is True
    listed = call("drive-list")
    assert ([file["id"] for file in listed["files"]], listed["ownOnly"]) == ([stored["id"]], True)
    assert call("drive-download", fileId=stored["id"])["size"] == 1
    assert call("drive-delete", fileId=stored["id"])["deleted"] is True
    assert call("drive-delete", fileId=stored["id"], permanent=True)["deleted"] is True
    assert call("drive-list")["files"] == []


@on_sqlite
def test_an_empty_body_asks_for_more_than_the_apps_own_files(alice, ask):
    connect(alice, "drive-upload")
    assert payload(alice, "drive-download")["scopes"][0].endswith("/drive.readonly")
    assert ask("drive-download", {"id": "x"}).status_code == 400


@on_sqlite
@pytest.mark.parametrize(("endpoint", "asks"), [("drive-list", False), ("drive-download", True)])
def test_only_what_an_empty_body_asks_for_is_asked_for_elsewhere(app, alice, endpoint, asks):
    """A list answers an empty body, so that a consent for it could not be begun."""
    connect(alice, "drive-upload")
    proxy = app.extensions["proxy"]
    with app.app_context():
        connection = proxy.connections.of(proxy.catalog.named(endpoint), "alice", "browser")
        assert (connection.payload_for(NotFound()) is not None) is asks


OTHERS = {  # what an endpoint for a file asks for, by what else is granted than `drive.file`
    ("drive-download", None): "drive.readonly",
    ("drive-download", "drive.metadata.readonly"): "drive.readonly",
    ("drive-delete", None): "drive",
    ("drive-delete", "drive.readonly"): "drive",
}


@on_sqlite
@pytest.mark.parametrize(("case", "scope"), OTHERS.items())
def test_a_file_that_the_app_has_not_made_needs_the_broader_scope(alice, call, case, scope):
    endpoint, granted = case
    connect(alice, "drive-delete")
    others = call("drive-list")
    assert others["ownOnly"] is False
    alice.delete("/api/integrations/oauth/cloudsuite/disconnect")
    if granted:
        connect(alice, "drive-list", instead=granted)
    connect(alice, "drive-upload")
    body = {"fileId": next(file["id"] for file in others["files"] if not file["isFolder"])}
    told = payload(alice, endpoint, body)
    assert told["scopes"] == [f"https://sandbox.invalid/auth/{scope}"]
    connect(alice, endpoint, body=body)
    assert call(endpoint, **body)["id"] == body["fileId"]
    answer = alice.post(f"/api/integrations/{endpoint}", {"fileId": "absent"})
    assert (answer.status_code, answer.json["error"]) == (404, "not_found")


def test_every_flag_is_lit_by_the_scopes_of_its_endpoints():
    for item in catalog():
        if item.vendor.integration == "cloudsuite":
            lit = {flag for flag, scopes in FLAGS.items() if item.scope in scopes}
            assert lit, item.name


def test_events_are_created_and_deleted(alice, call):
    connect(alice, "calendar-create-events")
    listed = call("cloudsuite/calendar-list-events")["events"]
    assert [event["allDay"] for event in listed].count(True) == 1
    start = datetime(2030, 5, 1, 9, 30)
    new = {"title": "Planning", "start": f"{start.isoformat()}+02:00", "timeZone": "Europe/Berlin"}
    new |= {"end": "2030-05-01T10:30:00+02:00", "attendees": ["bob@example.com"]}
    day = {"title": "Holiday", "start": "2030-05-02", "end": "2030-05-03", "allDay": True}
    made = call("calendar-create-events", events=[new, day], sendUpdates="all")
    assert made["failed"] == []
    span = {"timeMin": "2030-05-01T00:00:00+02:00", "timeMax": "2030-05-03T00:00:00+02:00"}
    found = call("calendar-events", **span)["events"]
    assert found == made["events"]
    assert [(e["title"], e["start"], e["allDay"]) for e in found] == [
        ("Planning", "2030-05-01T09:30:00+02:00", False),
        ("Holiday", "2030-05-02", True),
    ]
    assert found[0]["attendees"] == [
        {"email": "bob@example.com", "name": None, "responseStatus": None}
    ]
    assert call("calendar-events", **span, query="holi")["events"] == found[1:]


@on_sqlite
def test_events_are_there_even_when_there_are_none(alice, call):
    connect(alice, "calendar-events")
    assert call("calendar-events", timeMin="2090-01-01T00:00:00Z")["events"] == []


@on_sqlite
def test_pages_of_events_follow_each_other(alice, call):
    connect(alice, "calendar-events")
    first = call("calendar-events", maxResults=3)
    second = call("calendar-events", maxResults=3, cursor=first["nextCursor"])
    assert len(first["events"]) == 3
    assert second["nextCursor"] is None
    assert not {e["id"] for e in first["events"]} & {e["id"] for e in second["events"]}


BAD_EVENTS = [
    {"title": "a", "start": "2030-05-01T09:00:00", "end": "2030-05-01T10:00:00Z"},
    {"title": "a", "start": "2030-05-01", "end": "2030-05-02"},
    {"title": "a", "start": "2030-05-01T09:00:00Z", "end": "2030-05-02", "allDay": True},
    {"title": "a", "start": "tomorrow", "end": "2030-05-02", "allDay": True},
    {"title": "", "start": "2030-05-01", "end": "2030-05-02", "allDay": True},
    # A date with an offset, which Python reads as one o'clock.
    {"title": "a", "start": "2030-05-01+01:00", "end": "2030-05-01+02:00", "timeZone": "UTC"},
    {"title": "a", "start": "2030-05-01T09:00", "end": "2030-05-01T10:00", "timeZone": "UTC+1"},
    # Google repeats what has a time in a zone only.
    {
        "title": "a", "start": "2030-05-01T09:00:00Z", "end": "2030-05-01T10:00:00Z",
        "recurrence": ["RRULE:FREQ=DAILY"],
    },
    {
        "title": "a", "start": "2030-05-01", "end": "2030-05-02", "allDay": True,
        "recurrence": ["FREQ=DAILY"],
    },
]  # fmt: skip


@on_sqlite
def test_times_that_mean_nothing_are_refused(alice, ask):
    connect(alice, "calendar-create-events")
    for event in BAD_EVENTS:
        answer = ask("calendar-create-events", {"events": [event]})
        assert (answer.status_code, answer.json["error"]) == (400, "invalid_request"), event
        assert "events" in answer.json["details"]


@on_sqlite
def test_a_local_time_is_taken_with_its_zone(alice, call):
    connect(alice, "calendar-create-events")
    local = {"start": "2030-07-01T09:00:00", "end": "2030-07-01T10:00:00"}
    call("calendar-create-events", events=[{"title": "a", "timeZone": "Asia/Tokyo", **local}])
    span = {"timeMin": "2030-07-01T00:30:00Z", "timeMax": "2030-07-01T00:31:00Z"}
    assert [event["title"] for event in call("calendar-events", **span)["events"]] == ["a"]


@on_sqlite
def test_an_event_may_have_a_meeting(alice, call):
    connect(alice, "calendar-create-events")
    times = {"start": "2030-07-01T09:00:00Z", "end": "2030-07-01T10:00:00Z"}
    new = [{"title": "a", **times}, {"title": "b", **times, "addMeeting": True}]
    made = call("calendar-create-events", events=new)["events"]
    assert [one["meetingUrl"] is not None for one in made] == [False, True]


@on_sqlite
def test_a_time_may_be_in_any_form_of_iso_8601(alice, call):
    connect(alice, "calendar-create-events")
    starts = ("2030-07-01 09:00", "20300701T0900+0000", "2030-W27-1T09:00Z", "2030-07-01t09:00:00")
    zoned = {"title": "a", "end": "2030-07-01T10:00Z", "timeZone": "Etc/UTC"}
    made = call("calendar-create-events", events=[{**zoned, "start": one} for one in starts])
    assert {event["start"][:19] for event in made["events"]} == {"2030-07-01T09:00:00"}
    days = {"title": "a", "start": "2030-05-01", "end": "2030-05-02", "allDay": True}
    rules = ["RRULE:FREQ=WEEKLY;COUNT=3", "EXDATE;VALUE=DATE:20300508"]
    (made,) = call(
        "calendar-create-events", events=[{**days, "start": "20300501", "recurrence": rules}]
    )["events"]
    assert (made["start"], made["end"]) == ("2030-05-01", "2030-05-02")


@on_sqlite
def test_what_is_refused_after_the_first_event_is_told(alice, ask, call):
    connect(alice, "calendar-create-events")
    good = {"title": "good", "start": "2030-05-01", "end": "2030-05-02", "allDay": True}
    bad = {**good, "title": "bad", "end": "2030-04-01"}
    made = call("calendar-create-events", events=[good, bad, good])
    assert [event["title"] for event in made["events"]] == ["good", "good"]
    assert [(one["index"], one["error"]) for one in made["failed"]] == [(1, "invalid_request")]
    assert ask("calendar-create-events", {"events": [bad, good]}).status_code == 400


def test_mail_is_sent_found_and_answered(alice, bob, call, mail):
    sent = call("send-email", to="Ben <ben@suite.invalid>", subject="Grüße ☀", content="Hallö\n.\n")
    assert sent["sent"] is True
    assert sent["labels"] == ["SENT"]
    connect(bob, "mail-reply", account="ben")
    (got,) = bob.post("/api/integrations/cloudsuite/mail-list", {"query": "Grüße"}).json["data"][
        "messages"
    ]
    assert (got["subject"], got["from"]) == ("Grüße ☀", "Ada Sandbox <ada@suite.invalid>")
    assert (got["unread"], got["snippet"]) == (True, "Hallö .")
    body = {"messageId": got["id"], "content": "Danke"}
    assert (
        bob.post("/api/integrations/mail-reply", body).json["data"]["threadId"] == got["threadId"]
    )
    newest = call("cloudsuite/mail-list", maxResults=1)["messages"][0]
    assert (newest["subject"], newest["threadId"]) == ("Re: Grüße ☀", sent["threadId"])


@on_sqlite
def test_mail_is_listed_newest_first_with_pages(call, mail):
    first = call("cloudsuite/mail-list", maxResults=3)
    rest = call("cloudsuite/mail-list", cursor=first["nextCursor"], maxResults=3)
    times = [int(one["receivedAt"]) for one in first["messages"] + rest["messages"]]
    assert (len(first["messages"]), rest["nextCursor"]) == (3, None)
    assert times == sorted(times, reverse=True)
    assert call("cloudsuite/mail-list", query="no such words")["messages"] == []
    assert call("cloudsuite/mail-list", labelIds=["SENT"])["messages"] == []


NO_HEADERS = [
    {"to": "a@example.com\r\nBcc: evil@example.com"},
    {"to": "a@example.com\nevil@example.com"},
    {"to": "no address"},
    {"to": "a@example.com evil@example.com"},
    {"subject": "a\r\nBcc: evil@example.com"},
    {"subject": "a\nb"},
    {"subject": "a\x7fb"},
    {"cc": "a@example.com\r\n"},
    {"bcc": "jörg@example.com"},
    {"subject": "s" * 999},
]


@on_sqlite
def test_what_is_no_header_is_refused_before_anything_is_sent(ask, call, mail):
    good = {"to": "ben@suite.invalid", "subject": "a", "content": "b"}
    for wrong in NO_HEADERS:
        answer = ask("send-email", {**good, **wrong})
        assert (answer.status_code, answer.json["error"]) == (400, "invalid_request"), wrong
        assert list(answer.json["details"]) == list(wrong)
    assert call("cloudsuite/mail-list", labelIds=["SENT"])["messages"] == []


def parsed(raw):
    return message_from_bytes(base64.urlsafe_b64decode(raw), policy=email.policy.default)


def test_a_letter_is_seven_bit_and_says_the_same():
    given = {"to": "Jörg <j@example.com>, k@example.com", "cc": "l@example.com", "bcc": "m@b.com"}
    raw = encode_message(letter(**given, subject="Grüße " * 20, content="Öffnung\r\n" + "x" * 1500))
    wire = base64.urlsafe_b64decode(raw)
    assert wire.isascii()
    assert max(map(len, wire.split(b"\r\n"))) <= 78
    assert b"\n" not in wire.replace(b"\r\n", b"")
    read = parsed(raw)
    assert read["Subject"] == ("Grüße " * 20).strip()
    assert (read["To"], read["Bcc"]) == ("Jörg <j@example.com>, k@example.com", "m@b.com")
    assert read.get_content() == "Öffnung\r\n" + "x" * 1500 + "\r\n"


def test_html_is_sent_as_html():
    read = parsed(encode_message(letter("a@example.com", "s", "<b>ö</b>", is_html=True)))
    assert read.get_content_type() == "text/html"
    assert read.get_content() == "<b>ö</b>\r\n"


ORIGINAL = {
    "from": "Bob <bob@example.com>",
    "to": "Alice@example.com, carol@example.com",
    "cc": "dave@example.com",
    "subject": "Plans",
    "message-id": f"<{'x' * 90}@mail.example.com>",
    "references": "<1@example.com>\r\n <2@example.com>",
}


def test_a_reply_threads_with_whole_identifiers():
    read = parsed(reply_to(ORIGINAL, None, "ok"))
    assert read["In-Reply-To"] == ORIGINAL["message-id"]
    assert read["References"].split() == [
        "<1@example.com>", "<2@example.com>", ORIGINAL["message-id"],
    ]  # fmt: skip
    assert (read["Subject"], read["To"], read["Cc"]) == ("Re: Plans", "bob@example.com", None)
    assert parsed(reply_to({**ORIGINAL, "subject": "RE: Plans"}, None, "ok"))["Subject"] == (
        "RE: Plans"
    )


def test_a_reply_names_one_message_and_the_last_before_it():
    named = "".join(f"<{number}@example.com>" for number in range(30))
    endless = f"<{'x' * 2000}@example.com>"
    headers = {**ORIGINAL, "message-id": "<a@b> <c@d>", "references": named + endless}
    wire = base64.urlsafe_b64decode(reply_to(headers, None, "ok"))
    read = message_from_bytes(wire)
    assert read["In-Reply-To"] == "<a@b>"
    last = [f"<{number}@example.com>" for number in range(10, 30)]
    assert read["References"].split() == [*last, "<a@b>"]
    assert max(map(len, wire.split(b"\r\n"))) <= 78


def test_a_reply_goes_where_its_sender_wants_it():
    to_list = {**ORIGINAL, "reply-to": "list@example.com"}
    assert parsed(reply_to(to_list, None, "ok"))["To"] == "list@example.com"
    assert reply_to({"subject": "a"}, None, "ok") is None


SENT = {"from": "alice@example.com", "to": "bob@example.com, c@example.com", "cc": "d@example.com"}


@pytest.mark.parametrize(
    ("extra", "own", "to", "cc"),
    [
        ({}, None, "bob@example.com, c@example.com", None),
        ({}, "alice@example.com", "bob@example.com, c@example.com", "d@example.com"),
        ({"reply-to": "Alice@example.com"}, None, "bob@example.com, c@example.com", None),
        ({"reply-to": "customer@example.com"}, None, "customer@example.com", None),
        ({"to": "alice@example.com"}, None, "alice@example.com", None),
    ],
)
def test_a_reply_to_what_oneself_has_sent_goes_to_its_recipients(extra, own, to, cc):
    read = parsed(reply_to({**SENT, **extra}, own, "ok", is_sent=True))
    assert (read["To"], read["Cc"]) == (to, cc)
    assert reply_to({"from": "alice@example.com"}, own, "ok", is_sent=True) is None


@on_sqlite
def test_a_sent_mail_is_followed_up_at_its_recipient(bob, call, mail):
    connect(bob, "mail-reply", account="ben")
    sent = call("send-email", to="ben@suite.invalid", subject="Tender", content="a")
    call("mail-reply", messageId=sent["id"], content="And one more thing")
    got = bob.post("/api/integrations/cloudsuite/mail-list", {"query": "tender"}).json["data"]
    assert [one["subject"] for one in got["messages"]] == ["Re: Tender", "Tender"]
    assert call("cloudsuite/mail-list", query="tender", labelIds=["INBOX"])["messages"] == []


def test_a_reply_to_all_leaves_out_oneself():
    read = parsed(reply_to(ORIGINAL, "aLice@example.com", "ok", cc="erin@example.com"))
    assert read["Cc"] == "carol@example.com, dave@example.com, erin@example.com"


BREAKS = [
    "=?utf-8?q?a=0D=0ABcc=3A_evil=40example.com?=",
    "a\r\nBcc: evil@example.com",
    "a\u2028Bcc: evil@example.com",
    "=?utf-8?b?YQ0KQmNjOiBldmlsQGV4YW1wbGUuY29t?=",
]


@pytest.mark.parametrize("text", BREAKS)
def test_nothing_that_others_have_written_becomes_a_header(text):
    """Python 3.11's `email` writes out the line breaks that an encoded word decodes to."""
    read = parsed(reply_to({**ORIGINAL, "subject": text, "references": text}, None, "ok"))
    assert read["Bcc"] is None
    hostile = {**ORIGINAL, "from": f"{BREAKS[0]} <bob@example.com>", "cc": f"{text}, x@example.com"}
    read = parsed(reply_to(hostile, "alice@example.com", "ok"))
    assert (read["Bcc"], read["To"]) == (None, "bob@example.com")
    own = letter("a@example.com", text, "b", cc=f'"{BREAKS[0]}" <c@example.com>')
    assert parsed(encode_message(own))["Bcc"] is None


def test_addresses_are_told_from_what_is_not():
    assert addresses('"Doe, J" <j@example.com>, k@example.com') == [
        ("Doe, J", "j@example.com"),
        ("", "k@example.com"),
    ]
    wrong = ("", "a", "a@b", "a@example.com b@example.com", "a@example.com, b", ".a@example.com")
    for text in (*wrong, "a@b.co, <:.c@d.co", "a.@b.co", "a..b@b.co", "a@b..co", "a@.b.co"):
        assert addresses(text) == [], text


PIECES = st.sampled_from(
    [
        *"ab.@,;:<>()[]\"\\' \t\r\n=?_-\u00e9\u65e5\u2028\0\ud83d",
        "=?utf-8?q?",
        "?=",
        "a@b.co",
        "<a@b.co>",
    ]
)


@given(st.lists(PIECES, max_size=14).map("".join))
@settings(max_examples=depth(800))
def test_whatever_others_have_written_makes_a_letter(text):
    listed = f"a@b.co, {text}"
    if addresses(listed):
        encode_message(letter(listed, text, "ok"))
    hostile = dict.fromkeys(("from", "to", "cc", "subject", "references"), listed)
    reply_to(hostile, "alice@example.com", "ok")


def test_a_file_goes_up_and_comes_back_byte_by_byte(call, files):
    stored = call("drive-upload", name="o'clock \\ ü.bin", contentBase64=b64(BINARY))
    assert (stored["mimeType"], stored["size"]) == ("application/octet-stream", str(len(BINARY)))
    back = call("drive-download", fileId=stored["id"])
    assert base64.b64decode(back["contentBase64"]) == BINARY
    assert (back["name"], back["size"]) == ("o'clock \\ ü.bin", len(BINARY))
    assert [f["id"] for f in call("drive-list", query="o'clock \\")["files"]] == [stored["id"]]


@on_sqlite
def test_text_is_stored_as_text_and_into_a_folder(call, files):
    (folder,) = [file for file in call("drive-list")["files"] if file["isFolder"]]
    stored = call("drive-upload", name="a.md", content="grün", folderId=folder["id"])
    assert stored["mimeType"] == "text/plain"
    inside = call("drive-list", folderId=folder["id"], mimeType="text/plain")["files"]
    assert [file["id"] for file in inside] == [stored["id"]]
    assert inside[0]["owner"] == "ada@suite.invalid"
    back = call("drive-download", fileId=stored["id"])
    assert base64.b64decode(back["contentBase64"]).decode() == "grün"
    outside = call("drive-upload", name="b.md", content="b", folderId="root")
    assert outside["id"] in [file["id"] for file in call("drive-list", folderId="root")["files"]]


@on_sqlite
def test_a_document_is_exported(call, ask, files):
    found = {file["name"]: file["id"] for file in call("drive-list")["files"]}
    plain = call("drive-download", fileId=found["Meeting notes"], exportMimeType="text/plain")
    assert (plain["mimeType"], base64.b64decode(plain["contentBase64"])[:7]) == (
        "text/plain", b"Agreed:",
    )  # fmt: skip
    paper = call("drive-download", fileId=found["Meeting notes"])
    assert (paper["mimeType"], base64.b64decode(paper["contentBase64"])[:5]) == (
        "application/pdf", b"%PDF-",
    )  # fmt: skip
    assert call("drive-download", fileId=found["Prices"])["mimeType"] == "text/csv"
    assert ask("drive-download", {"fileId": found["Drafts"]}).status_code == 400


@on_sqlite
def test_a_deleted_file_is_in_the_trash(call, ask, files):
    stored = call("drive-upload", name="a.txt", content="a")
    deleted = call("drive-delete", fileId=stored["id"])
    assert deleted == {"id": stored["id"], "deleted": True, "permanent": False}
    assert stored["id"] not in [file["id"] for file in call("drive-list")["files"]]
    assert call("drive-download", fileId=stored["id"])["size"] == 1
    answer = ask("drive-delete", {"fileId": "absent"})
    assert (answer.status_code, answer.json["error"]) == (404, "not_found")


@on_sqlite
def test_a_file_that_is_deleted_for_good_is_in_no_trash(call, ask, files):
    stored = call("drive-upload", name="a.txt", content="a")
    deleted = call("drive-delete", fileId=stored["id"], permanent=True)
    assert deleted == {"id": stored["id"], "deleted": True, "permanent": True}
    for endpoint in ("drive-download", "drive-delete"):
        answer = ask(endpoint, {"fileId": stored["id"]})
        assert (answer.status_code, answer.json["error"]) == (404, "not_found")


@on_sqlite
def test_a_search_of_files_is_ordered_by_how_well_they_fit(call, files):
    """Another order is refused by the office, so that it is not asked for."""
    for name in ("b.txt", "a.txt"):
        call("drive-upload", name=name, content="a plan of ours")
    found = call("drive-list", query="plan of ours", orderBy="name")["files"]
    assert {one["name"] for one in found} == {"a.txt", "b.txt"}
    listed = [one["name"] for one in call("drive-list", orderBy="name")["files"]]
    assert listed == sorted(listed, key=str.lower)


@on_sqlite
def test_files_are_ordered_by_the_numbers_in_their_names_too(call, files):
    for name in ("part 12.txt", "part 2.txt"):
        call("drive-upload", name=name, content=name)
    listed = call("drive-list", mimeType="text/plain", orderBy="folder,name_natural desc")["files"]
    parts = [one["name"] for one in listed if one["name"].startswith("part")]
    assert parts == ["part 12.txt", "part 2.txt"]


@on_sqlite
def test_a_file_marked_as_malware_is_downloaded_only_on_request(call, ask, files):
    stored = call("drive-upload", name="game.exe", content="MZ")
    answer = ask("drive-download", {"fileId": stored["id"]})
    assert (answer.status_code, answer.json["error"]) == (403, "forbidden")
    assert "acknowledgeAbuse" in answer.json["message"]
    assert call("drive-download", fileId=stored["id"], acknowledgeAbuse=True)["size"] == 2


@on_sqlite
def test_uploads_are_at_most_5_mb(call, ask, files):
    whole = call("drive-upload", name="whole", contentBase64=b64(b"\xff" * (5 << 20)))
    assert whole["size"] == str(5 << 20)
    for size in ((5 << 20) + 1, 8 << 20):
        answer = ask("drive-upload", {"name": "over", "contentBase64": b64(b"\xff" * size)})
        assert (answer.status_code, answer.json["error"]) == (413, "too_large")
    answer = ask("drive-upload", {"name": "over", "content": "x" * ((5 << 20) + 1)})
    assert (answer.status_code, answer.json["error"]) == (413, "too_large")
    assert call("drive-download", fileId=whole["id"])["size"] == 5 << 20


@on_sqlite
def test_a_file_that_is_too_large_is_not_fetched(call, ask, files, monkeypatch):
    over = call("drive-upload", name="over", content="12345")
    monkeypatch.setattr(drive_content, "LIMIT", 4)
    monkeypatch.setattr(drive_content, "CONTENT", None)
    answer = ask("drive-download", {"fileId": over["id"]})
    assert (answer.status_code, answer.json["error"]) == (413, "too_large")


@on_sqlite
def test_a_file_above_256_kib_comes_back_as_a_url(call, alice, files):
    content = random.Random(1).randbytes((256 << 10) + 1)  # noqa: S311
    small = call("drive-upload", name="small.png", contentBase64=b64(content[1:]))
    assert call("drive-download", fileId=small["id"])["media"] is None
    large = call("drive-upload", name="large.png", contentBase64=b64(content), mimeType="image/png")
    back = call("drive-download", fileId=large["id"])
    assert (back["contentBase64"], back["size"]) == (None, len(content))
    assert (back["media"]["bytes"], back["media"]["mediaType"]) == (len(content), "image/png")
    stored = alice.get(back["media"]["url"])
    assert stored.data == content
    assert stored.headers["Content-Disposition"] == "inline; filename*=UTF-8''large.png"


@on_sqlite
def test_only_uploads_may_be_that_large(ask, mail):
    answer = ask("send-email", {"to": "a@example.com", "subject": "", "content": "x" * (2 << 20)})
    assert (answer.status_code, answer.json["error"]) == (413, "too_large")


NO_UPLOADS = [
    {},
    {"content": "a", "contentBase64": "YQ=="},
    {"contentBase64": "not base64!"},
    {"contentBase64": "\u00e9"},
    {"content": "a", "mimeType": "text/plain\r\nX: y"},
    {"content": "a", "mimeType": "text/plain\n"},
    {"content": "a", "folderId": ""},
]


@on_sqlite
def test_an_upload_that_is_not_clear_is_refused(ask, files):
    for wrong in NO_UPLOADS:
        answer = ask("drive-upload", {"name": "a", **wrong})
        assert (answer.status_code, answer.json["error"]) == (400, "invalid_request"), wrong


@on_sqlite
def test_no_file_id_leads_elsewhere(ask, files):
    for file_id in ("..", "."):
        assert ask("drive-delete", {"fileId": file_id}).status_code == 400


@on_sqlite
def test_contacts_are_listed(alice, call):
    connect(alice, "contacts")
    told = call("cloudsuite/contacts-list", sortOrder="LAST_NAME_ASCENDING", pageSize=3)
    assert [one["familyName"] for one in told["contacts"]] == ["Lindqvist", "Marsh", "Okafor"]
    assert (told["total"], told["nextCursor"]) == (4, "3")
    assert told["contacts"][0]["phones"] == []
    assert told["contacts"][1]["organization"] == "Marsh & Daughters"


@on_sqlite
def test_two_users_see_their_own_accounts(alice, bob, call):
    connect(alice, "calendar-create-events")
    connect(bob, "calendar-create-events", account="ben")
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    call("calendar-create-events", events=[{"title": "Mine", "start": soon, "end": soon}])
    assert call("calendar-events", query="mine")["events"]
    theirs = bob.post("/api/integrations/calendar-events", {"query": "mine"}).json["data"]
    assert theirs["events"] == []


def b64(content: bytes) -> str:
    return base64.b64encode(content).decode()
