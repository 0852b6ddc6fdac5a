"""What Google's refusals mean for a caller; and that its own descriptions allow what we ask it."""

import json
import os
from datetime import UTC, datetime, timedelta
from email.parser import BytesParser
from pathlib import Path

import gevent
import pytest
import time_machine

from service.integrations.declare.example import File
from service.integrations.declare.faults import ScopeMissing, refusal_of
from service.integrations.declare.setting import VENDOR_SETTINGS
from service.integrations.declare.vendor import Reply
from service.integrations.everything import catalog
from service.integrations.vendors.google.suite import GOOGLE
from service.sandbox.matching import Rules, VendorRequest
from tests.integrations.descriptions import check
from tests.integrations.office_suite import connect, flags
from tests.integrations.scripted_vendor import Said, ScriptedVendor
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("database_url")]

HOSTS = {  # the paths of Google's own base URLs, and the description of what is below
    "MAIL": ("/gmail/v1", "gmail.v1"),
    "CALENDAR": ("/calendar/v3", "calendar.v3"),
    "DRIVE": ("/drive/v3", "drive.v3"),
    "UPLOAD": ("/upload/drive/v3", "drive.v3"),
    "CONTACTS": ("/v1", "people.v1"),
}
SUITE = {item.name: item for item in catalog() if item.vendor.name == "google"}
LIST = "cloudsuite/mail-list"
MEETING = json.loads(File("google/event.json").content())
KNOWN = json.loads(File("google/message.json").content())


@pytest.fixture
def google(app):
    """Google's APIs are scripted; the authorization server stays the sandbox's."""
    scripted = ScriptedVendor()
    urls = {f"CLOUDSUITE_{name}_BASE_URL": scripted.url + path for name, (path, _) in HOSTS.items()}
    VENDOR_SETTINGS.set(app, {**VENDOR_SETTINGS.of(app), **urls})
    yield scripted
    scripted.stop()


EVENT = {"title": "e", "start": "2026-12-01", "end": "2026-12-02", "allDay": True}
HALF_WAY = {
    "a token that is not taken any more": (401, {}, False),
    "a scope that is not granted any more": (403, {}, True),
}


@pytest.mark.parametrize("case", HALF_WAY)
def test_a_connection_that_ends_half_way_is_told_with_what_was_made(alice, google, case):
    status, body, connected = HALF_WAY[case]
    connect(alice, "calendar-create-events")
    google.says(Said(MEETING), Said(body, status))
    answer = alice.post("/api/integrations/calendar-create-events", {"events": [EVENT] * 4})
    assert [made["title"] for made in answer.json["data"]["events"]] == ["Planning"]
    failed = answer.json["data"]["failed"]
    assert [(one["index"], one["error"]) for one in failed] == [(n, "forbidden") for n in (1, 2, 3)]
    assert len(google.seen) == 2
    assert flags(alice)["connected"] is connected


UNCLEAR = [(Said({}, 502), True), (Said(b"no JSON"), True), (Said({}, 503), False),
           (Said({}, 400), False)]  # fmt: skip


@pytest.mark.parametrize(("said", "may_exist"), UNCLEAR)
def test_an_event_that_may_have_been_made_all_the_same_is_told(alice, google, said, may_exist):
    """Whoever asks for it again would have it twice."""
    connect(alice, "calendar-create-events")
    google.says(Said(MEETING), said, Said({}, 400))
    answer = alice.post("/api/integrations/calendar-create-events", {"events": [EVENT] * 3})
    failed = answer.json["data"]["failed"]
    assert [(one["index"], one["mayExist"]) for one in failed] == [(1, may_exist), (2, False)]


def test_somebody_without_an_address_may_attend(alice, google):
    connect(alice, "cloudsuite/calendar-list-events")
    nameless = {**MEETING, "attendees": [{"responseStatus": "accepted"}]}
    google.says(Said({"items": [nameless]}))
    answer = alice.post("/api/integrations/cloudsuite/calendar-list-events", {})
    attendee = {"email": None, "name": None, "responseStatus": "accepted"}
    assert answer.json["data"]["events"][0]["attendees"] == [attendee]


@pytest.mark.parametrize("span", [{}, {"timeMin": "2030-05-01T02:00:00+02:00"}])
def test_the_next_page_is_asked_for_with_the_times_of_the_first(alice, google, span):
    """By default from now on, and now is later then."""
    name = "cloudsuite/calendar-list-events"
    connect(alice, name)
    google.says(Said({"items": [], "nextPageToken": "t 1_2"}), Said({"items": []}))
    cursor = alice.post(f"/api/integrations/{name}", span).json["data"]["nextCursor"]
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=9)):
        last = alice.post(f"/api/integrations/{name}", {**span, "cursor": cursor}).json["data"]
    first, second = (asked.query for asked in google.seen)
    assert second == {**first, "pageToken": ["t 1_2"]}
    assert last["nextCursor"] is None


def test_a_time_before_now_needs_an_earlier_one(alice, google):
    name = "cloudsuite/calendar-list-events"
    connect(alice, name)
    google.says(Said({"items": []}))
    day = "2020-05-01T00:00:00Z"
    for wrong in ({"timeMax": day}, {"timeMin": day, "timeMax": "2020-05-01T02:00:00+02:00"}):
        answer = alice.post(f"/api/integrations/{name}", wrong)
        assert (answer.status_code, list(answer.json["details"])) == (400, ["timeMax"])
    assert google.seen == []
    earlier = {"timeMin": "2020-04-01T00:00:00Z", "timeMax": day}
    assert alice.post(f"/api/integrations/{name}", earlier).json["data"]["events"] == []


@pytest.mark.parametrize("size", [(5 << 20) + 1, 10_000_000])
def test_an_export_may_be_larger_than_what_is_taken(alice, google, size):
    connect(alice, "drive-download")
    document = {"id": "d", "name": "Notes", "mimeType": "application/vnd.google-apps.document"}
    google.says(Said(document), Said(bytes(size), headers={"Content-Type": "application/pdf"}))
    answer = alice.post("/api/integrations/drive-download", {"fileId": "d"})
    assert (answer.status_code, answer.json["error"]) == (413, "too_large")


def test_a_document_larger_than_its_export_is_exported(alice, google):
    """Drive counts the pictures in a document of its own formats. Its text may be short."""
    connect(alice, "drive-download")
    kind = "application/vnd.google-apps.presentation"
    google.says(Said({"id": "d", "mimeType": kind, "size": "26214400"}), Said(b"%PDF-1.7"))
    answer = alice.post("/api/integrations/drive-download", {"fileId": "d"})
    assert (answer.status_code, answer.json["data"]["size"]) == (200, 8)


@pytest.mark.parametrize("more", [{}, {"exportMimeType": "application/mp4"}])
def test_a_video_of_google_vids_is_not_exported(alice, google, more):
    """Google gives it only to a long-running download."""
    connect(alice, "drive-download")
    google.says(Said({"id": "v", "mimeType": "application/vnd.google-apps.vid"}))
    answer = alice.post("/api/integrations/drive-download", {"fileId": "v", **more})
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_request")
    assert "Google Vids" in answer.json["message"]
    assert len(google.seen) == 1


def classic(status, reason, message="No.", domain="global"):
    listed = [{"domain": domain, "reason": reason, "message": message}]
    return {"error": {"code": status, "message": message, "errors": listed}}


def newer(status, word, reason=None, message="No."):
    kind = "type.googleapis.com/google.rpc.ErrorInfo"
    details = [{"@type": kind, "reason": reason, "domain": "googleapis.com"}] if reason else []
    return {"error": {"code": status, "message": message, "status": word, "details": details}}


SCOPE = "Request had insufficient authentication scopes."
CONSENT = (200, None)  # the OAuth-required payload
CASES = {
    "a scope, classic": (403, classic(403, "insufficientPermissions"), CONSENT),
    "a scope, newer": (
        403,
        newer(403, "PERMISSION_DENIED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"),
        CONSENT,
    ),
    "a scope, in words": (403, newer(403, "PERMISSION_DENIED", message=SCOPE), CONSENT),
    "a scope beside another reason": (
        403,
        {"error": {**classic(403, "forbidden")["error"], "message": SCOPE}},
        CONSENT,
    ),
    "a 403 that says nothing": (403, {}, CONSENT),
    "a 403 that is not JSON": (403, b"<html>no</html>", CONSENT),
    "a 403 of another shape": (403, {"error": "insufficient_scope"}, CONSENT),
    "a 403 of a list": (403, [{"error": 1}], CONSENT),
    "quota": (403, classic(403, "rateLimitExceeded", domain="usageLimits"), (429, "rate_limited")),
    "quota of a user": (403, classic(403, "userRateLimitExceeded"), (429, "rate_limited")),
    "quota of a day": (403, classic(403, "dailyLimitExceeded"), (429, "rate_limited")),
    "quota exceeded": (403, classic(403, "quotaExceeded"), (429, "rate_limited")),
    "quota, newer": (403, newer(403, "RESOURCE_EXHAUSTED"), (429, "rate_limited")),
    "quota as 429": (429, newer(429, "RESOURCE_EXHAUSTED"), (429, "rate_limited")),
    "API disabled": (403, classic(403, "accessNotConfigured"), (502, "upstream_provider_error")),
    "API disabled, newer": (
        403,
        newer(403, "PERMISSION_DENIED", "SERVICE_DISABLED"),
        (502, "upstream_provider_error"),
    ),
    **{
        reason: (403, classic(403, reason), (403, "forbidden"))
        for reason in (
            "insufficientFilePermissions", "insufficientParentPermissions", "domainPolicy",
            "appNotAuthorizedToFile", "forbidden", "forbiddenForNonOrganizer",
            "storageQuotaExceeded", "sharingRateLimitExceeded", "cannotDownloadFile",
            "fileNotDownloadable", "reasonOfTomorrow",
        )
    },
    "an export of more than 10 MB": (
        403, classic(403, "exportSizeLimitExceeded"), (413, "too_large"),
    ),
    "no mail": (
        400,
        newer(400, "FAILED_PRECONDITION", message="Mail service not enabled"),
        (400, "invalid_request"),
    ),
    "wrong parameters": (400, classic(400, "badRequest"), (400, "invalid_request")),
    "gone": (404, classic(404, "notFound"), (404, "not_found")),
    "their fault": (500, classic(500, "backendError"), (502, "upstream_provider_error")),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_refusal_has_its_meaning(case):
    status, body, (ours, code) = CASES[case]
    error = refusal_of(GOOGLE, Reply(status, {}, None if isinstance(body, bytes) else body))
    if (ours, code) == CONSENT:
        assert isinstance(error, ScopeMissing)
    else:
        assert (error.status, error.code) == (ours, code)


TOLD = ["a scope, newer", "a 403 that is not JSON", "quota", "API disabled", "domainPolicy", "gone"]


def test_a_success_is_no_refusal():
    for body in ({"error": classic(403, "quotaExceeded")["error"]}, [], None):
        assert refusal_of(GOOGLE, Reply(200, {}, body)) is None


@pytest.mark.parametrize("case", TOLD)
def test_each_refusal_is_explained_to_the_caller(alice, ask, google, case):
    status, body, (ours, code) = CASES[case]
    connect(alice, "drive-list")
    google.answers = [Said(body, status, {"Retry-After": "7"} if ours == 429 else {})]
    answer = ask("drive-list", {})
    assert (answer.status_code, answer.json.get("error")) == (ours, code)
    if ours == 200:
        assert answer.json["data"]["requiresOAuth"] is True
        assert answer.json["data"]["scopes"] == ["https://sandbox.invalid/auth/drive.readonly"]
    assert ours != 429 or answer.headers["Retry-After"] == "7"
    assert ours != 502 or answer.json["upstreamStatus"] == status
    assert flags(alice)["connected"] is True


def test_the_header_alone_may_name_the_scope(alice, ask, google):
    connect(alice, LIST)
    named = {"WWW-Authenticate": 'Bearer realm="x", error="insufficient_scope"'}
    google.answers = [Said(classic(403, "forbidden"), 403, named)]
    assert ask(LIST, {}).json["data"]["requiresOAuth"] is True


def test_a_message_with_an_empty_header_is_listed(alice, ask, google):
    connect(alice, LIST)
    headers = [{"name": "From", "value": "bob@example.com"}, {"name": "Subject"}, {"value": "x"}]
    headers += [{"name": "FROM", "value": "second@example.com"}]  # the first one is shown
    odd = {**KNOWN, "payload": {"headers": headers}}
    google.says(Said({"messages": [{"id": "m"}]}), Said(odd))
    (message,) = ask(LIST, {}).json["data"]["messages"]
    assert (message["from"], message["subject"]) == ("bob@example.com", None)


def test_a_message_that_nobody_has_sent_gets_no_reply(alice, ask, google):
    connect(alice, "mail-reply")
    for payload, labels in (({"headers": []}, ["INBOX"]), (KNOWN["payload"], ["SENT"])):
        headers = [one for one in payload["headers"] if one["name"] != "To"]
        google.says(Said({**KNOWN, "payload": {"headers": headers}, "labelIds": labels}))
        answer = ask("mail-reply", BODIES["mail-reply"][0])
        assert (answer.status_code, answer.json["error"]) == (400, "invalid_request")
        assert "nobody" in answer.json["message"]
    assert {asked.method for asked in google.seen} == {"GET"}


@pytest.mark.parametrize("status", [404, 410])
def test_a_message_that_is_gone_gets_no_reply(alice, ask, google, status):
    connect(alice, "mail-reply")
    google.says(Said({}, status))
    answer = ask("mail-reply", BODIES["mail-reply"][0])
    assert (answer.status_code, answer.json["error"]) == (404, "not_found")
    assert [asked.method for asked in google.seen] == ["GET"]


def test_no_mail_service_is_explained(alice, ask, google):
    connect(alice, LIST)
    google.answers = [Said(CASES["no mail"][1], 400)]
    assert ask(LIST, {}).json["message"] == "The connected account has no mail service."


def test_a_401_ends_the_connection(alice, ask, google):
    connect(alice, LIST)
    google.answers = [Said(classic(401, "authError", "Invalid Credentials"), 401)]
    assert ask(LIST, {}).json["data"]["requiresOAuth"] is True
    assert flags(alice)["connected"] is False
    assert len(google.seen) == 1


@pytest.mark.parametrize("status", [401, 403, 404, 429])
def test_a_refusal_amid_a_list_is_one_answer(alice, ask, google, status):
    """Five messages are asked for at a time: whichever is refused, the call is."""
    connect(alice, LIST)
    ids = {"messages": [{"id": f"m{n}", "threadId": "t"} for n in range(9)]}

    def answer(asked):
        if asked.path.endswith("/messages"):
            return Said(ids)
        number = asked.path[-1]
        refused = Said(classic(status, "insufficientPermissions"), status)
        return refused if number == "4" else Said(KNOWN | {"id": f"m{number}"})

    google.answers = [answer]
    told = ask(LIST, {}).json
    if status == 404:  # deleted in between: the others are still there
        kept = [f"m{n}" for n in range(9) if n != 4]
        assert [one["id"] for one in told["data"]["messages"]] == kept
    elif status == 429:
        assert told["error"] == "rate_limited"
    else:
        assert told["data"]["requiresOAuth"] is True


@pytest.mark.parametrize("endpoint", SUITE)
def test_an_answer_of_another_shape_is_their_failure(alice, ask, google, endpoint):
    connect(alice, endpoint)
    for body in ([], {"items": 1, "messages": 1, "files": 1, "connections": 1}):
        google.answers = [Said(body)]
        answer = ask(endpoint, BODIES[endpoint][0])
        assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error"), body


EVENT = {"title": "Planning", "start": "2030-05-01T09:00:00Z", "end": "2030-05-01T10:00:00Z"}
DAY = {"title": "Planning", "start": "2030-05-01", "end": "2030-05-02", "allDay": True}
RICH = {
    **EVENT, "timeZone": "Europe/Berlin", "description": "d", "location": "l",
    "attendees": ["b@example.com"], "recurrence": ["RRULE:FREQ=DAILY;COUNT=2"], "addMeeting": True,
}  # fmt: skip
LETTER = {"to": "b@example.com", "subject": "s", "content": "c"}
BODIES = {
    "cloudsuite/calendar-list-events": [
        {},
        {
            "calendarId": "team#x@example.com", "timeMin": "2030-05-01T00:00:00+02:00",
            "timeMax": "2030-06-01T00:00:00Z", "query": "a b", "maxResults": 250,
            "orderBy": "updated", "timeZone": "Europe/Berlin", "cursor": "c",
        },
    ],
    "calendar-create-events": [
        {"events": [EVENT]},
        {"events": [DAY, RICH], "calendarId": "x@example.com", "sendUpdates": "externalOnly"},
    ],
    "cloudsuite/mail-list": [
        {},
        {
            "query": "from:bob", "labelIds": ["INBOX", "UNREAD"], "maxResults": 50,
            "includeSpamTrash": True, "cursor": "c",
        },
    ],
    "cloudsuite/mail-send": [
        LETTER,
        {**LETTER, "cc": "c@example.com", "bcc": "d@example.com", "isHtml": True, "threadId": "t"},
    ],
    "mail-reply": [
        {"messageId": "m", "content": "c"},
        {"messageId": "m", "content": "c", "replyAll": True, "cc": "c@example.com"},
    ],
    "cloudsuite/drive-list": [
        {},
        {
            "query": "it's", "folderId": "f", "mimeType": "text/plain", "pageSize": 1000,
            "orderBy": "folder,name desc", "cursor": "c",
        },
    ],
    "drive-upload": [
        {"name": "n", "content": "c"},
        {
            "name": "n", "contentBase64": "AAEC", "mimeType": "image/png", "folderId": "f",
            "convertTo": "application/vnd.google-apps.document",
        },
    ],
    "drive-download": [
        {"fileId": "f", "acknowledgeAbuse": True},
        {"fileId": "doc", "exportMimeType": "text/plain"},
    ],
    "drive-delete": [{"fileId": "f"}, {"fileId": "f", "permanent": True}],
    "cloudsuite/contacts-list": [
        {}, {"pageSize": 1000, "sortOrder": "FIRST_NAME_ASCENDING", "cursor": "c"},
    ],
}  # fmt: skip
DOCUMENT = {"id": "doc", "name": "d", "mimeType": "application/vnd.google-apps.document"}


def example_of(endpoint):
    """The endpoint's own examples, as the answers to its requests."""
    rules = Rules([SUITE[endpoint]])

    def answer(asked):
        if asked.path.endswith("/files/doc"):
            return Said(DOCUMENT)
        exchange = rules.find(query_of(asked))
        if exchange is None:
            return Said({}, 404)
        content, media_type = exchange.content
        return Said(content, exchange.status, {"Content-Type": media_type})

    return answer


def query_of(asked):
    """A request to the scripted server as one of Google's APIs."""
    name, below = next((n, path) for n, (path, _) in HOSTS.items() if asked.path.startswith(path))
    setting, path = f"CLOUDSUITE_{name}_BASE_URL", asked.path.removeprefix(below)
    return VendorRequest(setting, asked.method, path, asked.query, json=body_of(asked))


@pytest.mark.parametrize("endpoint", SUITE)
def test_the_examples_are_what_the_endpoint_reads(alice, ask, google, endpoint):
    connect(alice, endpoint)
    google.answers = [example_of(endpoint)]
    for body in BODIES[endpoint]:
        answer = ask(endpoint, body)
        assert (answer.status_code, answer.json["success"]) == (200, True), answer.json
        assert "requiresOAuth" not in answer.json["data"]


def test_a_meeting_is_asked_for_with_an_id_of_its_own(alice, ask, google):
    connect(alice, "calendar-create-events")
    google.says(Said(MEETING))
    event = {**EVENT, "addMeeting": True}
    assert ask("calendar-create-events", {"events": [event, event, EVENT]}).status_code == 200
    first, second, without = google.seen
    wanted = [one.json["conferenceData"]["createRequest"] for one in (first, second)]
    assert wanted[0]["conferenceSolutionKey"] == {"type": "hangoutsMeet"}
    assert len({one["requestId"] for one in wanted}) == 2
    assert first.query["conferenceDataVersion"] == ["1"]
    assert "conferenceDataVersion" not in without.query
    assert "conferenceData" not in without.json


def test_only_what_may_happen_twice_is_sent_again(alice, ask, google):
    connect(alice, "drive-delete")
    google.says(Said({}, 503), Said({"id": "f", "trashed": True}))
    assert ask("drive-delete", {"fileId": "f"}).json["data"]["deleted"] is True
    assert [asked.method for asked in google.seen] == ["PATCH", "PATCH"]
    google.seen.clear()
    connect(alice, "cloudsuite/mail-send")
    google.says(Said({}, 503), Said({"id": "m", "threadId": "t"}))
    assert ask("cloudsuite/mail-send", LETTER).status_code == 502
    assert len(google.seen) == 1


def test_a_file_is_deleted_for_good_by_one_request(alice, ask, google):
    connect(alice, "drive-delete")
    google.says(Said({}, 503))
    assert ask("drive-delete", {"fileId": "f", "permanent": True}).status_code == 502
    [asked] = google.seen
    assert (asked.method, asked.path) == ("DELETE", "/drive/v3/files/f")


def test_every_request_bears_the_users_token_and_nothing_else(alice, ask, google):
    connect(alice, "mail-reply")
    google.answers = [example_of("mail-reply")]
    ask("mail-reply", BODIES["mail-reply"][1])
    bearers = {asked.headers["authorization"] for asked in google.seen}
    assert len(google.seen) == 3
    assert len(bearers) == 1
    assert not any("key" in asked.query for asked in google.seen)


SPECS = os.environ.get("SPECS_DIR")


@pytest.mark.skipif(not SPECS, reason="set SPECS_DIR to the vendors' API descriptions")
@pytest.mark.parametrize("endpoint", SUITE)
def test_google_describes_every_request_we_make(alice, ask, google, endpoint):
    connect(alice, endpoint)
    google.answers = [example_of(endpoint)]
    for body in BODIES[endpoint]:
        assert ask(endpoint, body).status_code == 200
    assert len(google.seen) >= len(BODIES[endpoint])
    for asked in google.seen:
        name = described(asked.path)
        path = Path(SPECS or "") / "b" / f"google-{name}.discovery.json"
        check(path, asked.method, asked.path, asked.query, body_of(asked))


def described(path):
    return next(name for below, name in HOSTS.values() if path.startswith(f"{below}/"))


def body_of(asked):
    """The JSON of a request; of a multipart upload, that of its first part."""
    kind = asked.headers.get("content-type", "")
    if not kind.startswith("multipart/related"):
        return asked.json
    whole = BytesParser().parsebytes(f"Content-Type: {kind}\r\n\r\n".encode() + asked.body)
    facts, media = whole.get_payload()
    assert (facts.get_content_type(), media["Content-Transfer-Encoding"]) == (
        "application/json", None,
    )  # fmt: skip
    return json.loads(facts.get_payload())


def test_messages_are_fetched_five_at_a_time(alice, ask, google):
    connect(alice, LIST)
    inside = most = 0

    def answer(asked):
        nonlocal inside, most
        if asked.path.endswith("/messages"):
            return Said({"messages": [{"id": f"m{n}"} for n in range(12)]})
        inside += 1
        most = max(most, inside)
        gevent.sleep(0.05)
        inside -= 1
        return Said(KNOWN | {"id": asked.path.rpartition("/")[2]})

    google.answers = [answer]
    told = ask(LIST, {}).json["data"]["messages"]
    assert [one["id"] for one in told] == [f"m{n}" for n in range(12)]
    assert most == 5
