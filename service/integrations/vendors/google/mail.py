"""Mail: the newest messages, sending, and replying within a conversation.

Source: developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages.
"""

from typing import Any

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from service.errors import InvalidRequest, NotFound
from service.fields import Text
from service.integrations.call import Call, path_of
from service.integrations.catalog import Example, endpoint
from service.integrations.payload import Bounded
from service.integrations.shape import as_object, at, listed, need, picked, text
from service.integrations.vendors.google.letter import (
    MOST_RECIPIENTS,
    SUBJECT_LIMIT,
    addresses,
    letter,
    reply_to,
    written,
)
from service.integrations.vendors.google.suite import GOOGLE, MAIL

DOCS = "https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages"
MESSAGES = "/users/me/messages"
MESSAGE = "/users/me/messages/{id}"
LISTED_HEADERS = ("From", "To", "Subject", "Date")
ANSWERED = ("From", "Reply-To", "To", "Cc", "Subject", "Message-ID", "References")
SHOWN = {
    "id": "id",
    "threadId": "threadId",
    "receivedAt": "internalDate",  # milliseconds since 1970, as text
    "snippet": "snippet",
}
CONTENT_LIMIT = 200_000


def _one_line(text: str) -> None:
    """A line break in a header would begin another one."""
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        raise ValidationError("Must be one line, without control characters.")


def _addresses(text: str) -> None:
    _one_line(text)
    if not addresses(text):
        raise ValidationError("Must be mail addresses, separated by commas.")


RECIPIENTS = Bounded(1, 5000, _addresses)


class Listing(Schema):
    query = Text(validate=validate.Length(1, 1000))
    labelIds = fields.List(Text(validate=validate.Length(1, 200)), validate=validate.Length(max=20))
    maxResults = fields.Integer(load_default=20, strict=True, validate=validate.Range(1, 50))
    includeSpamTrash = fields.Boolean(load_default=False)
    cursor = Text(validate=validate.Length(1, 2000))


class Body(Schema):
    content = Text(required=True, validate=validate.Length(0, CONTENT_LIMIT))
    isHtml = fields.Boolean(load_default=False)
    cc = Text(validate=RECIPIENTS)


class Letter(Body):
    to = Text(required=True, validate=RECIPIENTS)
    subject = Text(required=True, validate=Bounded(0, SUBJECT_LIMIT, _one_line))
    bcc = Text(validate=RECIPIENTS)
    threadId = Text(validate=validate.Length(1, 200))

    @validates_schema
    def recipients(self, data: dict[str, Any], **kwargs: Any) -> None:
        listed = [data[name] for name in ("to", "cc", "bcc") if name in data]
        if sum(len(addresses(text)) for text in listed) > MOST_RECIPIENTS:
            raise ValidationError(f"At most {MOST_RECIPIENTS} recipients, copies included.", "to")


class Answer(Body):
    messageId = Text(required=True, validate=validate.Length(1, 200))
    replyAll = fields.Boolean(load_default=False)


HEADERS = [
    {"name": "From", "value": "Bob <bob@example.com>"},
    {"name": "To", "value": "alice@example.com"},
    {"name": "Subject", "value": "Lunch"},
    {"name": "Date", "value": "Mon, 23 Nov 2026 09:15:00 +0100"},
    {"name": "Message-ID", "value": "<1@example.com>"},
]
KNOWN = {
    "id": "18c2f0a1", "threadId": "18c2f0a1", "labelIds": ["INBOX", "UNREAD"],
    "snippet": "At noon?", "internalDate": "1795421700000", "payload": {"headers": HEADERS},
}  # fmt: skip
LISTED = Example(
    "GET",
    MESSAGES,
    {"messages": [{"id": "18c2f0a1", "threadId": "18c2f0a1"}], "resultSizeEstimate": 1},
)
ONE = Example("GET", MESSAGE, KNOWN)
SENT = Example(
    "POST", f"{MESSAGES}/send", {"id": "18c2f0b7", "threadId": "18c2f0b7", "labelIds": ["SENT"]}
)
PROFILE = Example("GET", "/users/me/profile", {"emailAddress": "alice@example.com"})


@endpoint(
    "cloudsuite/mail-list", GOOGLE, Listing(), "suite", f"{DOCS}/list",
    examples=(LISTED, ONE), reads=True, seconds=45,
    scope="mail.readonly", accepted=("mail.modify", "mail.full"),
)  # fmt: skip
def list_mail(call: Call, **asked: Any) -> dict[str, Any]:
    """Messages with their headers and first words, newest first."""
    query = {
        "q": asked.get("query"),
        "labelIds": asked.get("labelIds"),
        "maxResults": asked["maxResults"],
        "includeSpamTrash": asked["includeSpamTrash"],
        "pageToken": asked.get("cursor"),
    }
    found = as_object(call.get(MESSAGES, query, MAIL))
    ids = [text(item, "id") for item in listed(at(found, "messages") or [])]
    messages = call.each(lambda id: _headers(call, id, LISTED_HEADERS), ids)
    return {
        "messages": [_message(item) for item in messages if item],
        "nextCursor": at(found, "nextPageToken"),
        "resultSizeEstimate": at(found, "resultSizeEstimate"),
    }


@endpoint(
    "cloudsuite/mail-send", GOOGLE, Letter(), "suite", f"{DOCS}/send",
    examples=(SENT,), aliases=("send-email",), seconds=30,
    scope="mail.modify", accepted=("mail.full", "mail.compose", "mail.send"),
)  # fmt: skip
def send(call: Call, threadId: str | None = None, **given: Any) -> dict[str, Any]:  # noqa: N803
    """Send a message from the connected account."""
    return _send(call, written(letter(**given)), threadId)


@endpoint(
    "mail-reply", GOOGLE, Answer(), "suite", f"{DOCS}/send",
    examples=(ONE, SENT, PROFILE), seconds=45,
    scope="mail.modify", accepted=("mail.full",),  # sending alone can't read the original
)  # fmt: skip
def reply(
    call: Call,
    messageId: str,  # noqa: N803
    replyAll: bool,  # noqa: N803
    **given: Any,
) -> dict[str, Any]:
    """Reply to a message, in its conversation.

    With `replyAll` also to everyone it was sent to, but for oneself.
    """
    original = _headers(call, messageId, ANSWERED)
    if original is None:
        raise NotFound("There is no message of that id.")
    own = text(call.get("/users/me/profile", base=MAIL), "emailAddress") if replyAll else None
    raw = reply_to(_by_name(original), own, **given)
    if raw is None:
        raise InvalidRequest("That message has no sender to reply to.", details={})
    return _send(call, raw, at(original, "threadId"))


def _send(call: Call, raw: str, thread: str | None) -> dict[str, Any]:
    body = {"raw": raw, **({"threadId": thread} if thread else {})}
    sent = call.post(f"{MESSAGES}/send", body, MAIL)
    return {
        "id": need(sent, "id"),
        "threadId": need(sent, "threadId"),
        "labels": at(sent, "labelIds") or [],
        "sent": True,
    }


def _headers(call: Call, id: str, names: tuple[str, ...]) -> Any:
    """A message without its body; None when it is gone, as one may be that was just listed."""
    query = {"format": "metadata", "metadataHeaders": list(names)}
    try:
        return call.get(path_of(MESSAGE, id=id), query, MAIL)
    except NotFound:
        return None


def _by_name(item: Any) -> dict[str, str]:
    """Its headers by their names in lower case, which keep their sender's case at Google."""
    headers = listed(at(need(item, "payload"), "headers") or [])
    return {text(header, "name").lower(): text(header, "value") for header in reversed(headers)}


def _message(item: Any) -> dict[str, Any]:
    headers, labels = _by_name(item), listed(at(item, "labelIds") or [])
    return {
        **picked(item, SHOWN),
        **{name: headers.get(name) for name in ("subject", "from", "to", "date")},
        "labels": labels,
        "unread": "UNREAD" in labels,
    }


ENDPOINTS = (list_mail, send, reply)
