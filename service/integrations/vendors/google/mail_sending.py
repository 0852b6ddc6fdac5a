"""Sending mail, and replying within a conversation.

Source: developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/send.
"""

from typing import Any, Unpack

from marshmallow import ValidationError, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange, File, example
from service.integrations.declare.fields import Facts, Parameters, Switch, Words
from service.integrations.declare.reading import text
from service.integrations.declare.request import Outgoing, get, post
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Bool, Made, Maybe, Readable, Shape
from service.integrations.vendors.google.letter import (
    MOST_RECIPIENTS,
    SUBJECT_LIMIT,
    encode_message,
    letter,
    reply_to,
)
from service.integrations.vendors.google.mail import (
    DOCS,
    GONE,
    MESSAGE,
    MESSAGES,
    THREAD,
    header_fields,
    headers_by_name,
    labels,
)
from service.integrations.vendors.google.mailboxes import addresses
from service.integrations.vendors.google.suite import GOOGLE, MAIL
from service.web.errors import InvalidRequest, NotFound

CONTENT_LIMIT = 200_000
ORIGINAL = get(
    MESSAGE, base=MAIL, instead=GONE,
    query=header_fields("From", "Reply-To", "To", "Cc", "Subject", "Message-ID", "References"),
)  # fmt: skip
PROFILE = get("/users/me/profile", base=MAIL)
SEND = post(f"{MESSAGES}/send", base=MAIL)
SENT = Shape(
    id="id", threadId="threadId", labels=Maybe(Readable("labelIds")),
    sent=Made(Bool(""), lambda message, values: True),
)  # fmt: skip


def _one_line(text: str) -> None:
    """Raise ValidationError for control characters. A line break would begin another header."""
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        raise ValidationError("Must be one line, without control characters.")


def _addresses(text: str) -> None:
    _one_line(text)
    if not addresses(text):
        raise ValidationError("Must be mail addresses, separated by commas.")


class Recipients(Words):
    """Mail addresses, separated by commas."""

    def __init__(self, about: str, **facts: Unpack[Facts]) -> None:
        super().__init__(about, most=5000, checks=(_addresses,), **facts)


class Letter(Parameters):
    content = Words("What it says.", least=0, most=CONTENT_LIMIT, required=True)
    isHtml = Switch("Whether the content is HTML.", default=False)
    cc = Recipients("Who gets a copy: addresses, separated by commas.")


class Head(Parameters):
    to = Recipients("Who gets it: addresses, separated by commas.", required=True)
    subject = Words("Its subject.", least=0, most=SUBJECT_LIMIT, checks=(_one_line,), required=True)


class NewLetter(Letter, Head):  # the fields of the last base come first
    bcc = Recipients("Who gets a copy unseen by the others: addresses, separated by commas.")
    threadId = Words(
        "The conversation that it belongs to, which must have the same subject. To answer one of "
        "its messages, call `mail-reply`: it names that message, as Gmail requires.", most=200,
    )  # fmt: skip

    @validates_schema
    def recipients(self, data: dict[str, Any], **kwargs: Any) -> None:
        lists = [data[name] for name in ("to", "cc", "bcc") if name in data]
        if sum(len(addresses(text)) for text in lists) > MOST_RECIPIENTS:
            raise ValidationError(f"At most {MOST_RECIPIENTS} recipients, copies included.", "to")


def _send(
    call: Call,
    *,
    to: str,
    subject: str,
    content: str,
    is_html: bool,
    cc: str | None = None,
    bcc: str | None = None,
    thread_id: str | None = None,
) -> dict[str, Any]:
    return _sent(call, encode_message(letter(to, subject, content, is_html, cc, bcc)), thread_id)


def _sent(call: Call, raw: str, thread_id: str | None) -> dict[str, Any]:
    thread = {"threadId": thread_id} if thread_id else {}
    return SENT.read(call.send(SEND.with_parts(json={"raw": raw, **thread})))


send = Endpoint(
    name="cloudsuite/mail-send", vendor=GOOGLE, category="suite", aliases=("send-email",),
    summary="Send a message from the connected account.",
    says=Says("Sending a mail to {to}", "Sent the mail “{subject}” to {to}"),
    docs=f"{DOCS}/send", seconds=30,
    scope="mail.modify", accepted=("mail.full", "mail.compose", "mail.send"),
    takes=NewLetter, run=_send, gives=SENT,
    examples=(example(
        {
            "to": "Bob <bob@example.com>", "cc": "carol@example.com", "bcc": "dan@example.com",
            "subject": "Lunch", "content": "At noon?", "threadId": "18c2f0a1",
        },
        "POST /users/me/messages/send",
        {"id": "18c2f0b7", "threadId": "18c2f0a1", "labelIds": ["SENT"]}, base=MAIL,
        body={
            "raw": encode_message(
                "To: Bob <bob@example.com>\r\nCc: carol@example.com\r\nBcc: dan@example.com\r\n"
                "Subject: Lunch\r\nMIME-Version: 1.0\r\n"
                'Content-Type: text/plain; charset="utf-8"\r\n'
                "Content-Transfer-Encoding: 7bit\r\n\r\nAt noon?\r\n"
            ),
            "threadId": "18c2f0a1",
        },
    ),),
)  # fmt: skip


class NewReply(Letter):
    messageId = Words(
        "The message to reply to; a reply to one's own goes to whom that was sent to.",
        most=200, to="path.id", required=True,
    )  # fmt: skip
    replyAll = Switch("Also to everyone it was sent to, but for oneself.", default=False)


def _reply(
    call: Call,
    request: Outgoing,
    *,
    content: str,
    is_html: bool,
    reply_all: bool,
    cc: str | None = None,
) -> dict[str, Any]:
    original = call.send(request)
    if original is None:
        raise NotFound("There is no message of that id.")
    own = text(call.send(PROFILE.with_parts()), "emailAddress") if reply_all else None
    is_sent = "SENT" in labels(original)
    raw = reply_to(headers_by_name(original), own, content, is_html, cc, is_sent)
    if raw is None:
        raise InvalidRequest("That message has nobody to reply to.", details={})
    return _sent(call, raw, THREAD.read(original)["threadId"])


reply = Endpoint(
    name="mail-reply", vendor=GOOGLE, category="suite",
    summary="Reply to a message, in its conversation.",
    says=Says("Replying to a mail", "Replied to a mail"),
    docs=f"{DOCS}/send", seconds=45,
    scope="mail.modify", accepted=("mail.full",),  # a scope for sending can't read the original
    takes=NewReply, asks=ORIGINAL, run=_reply, gives=SENT,
    examples=(Example({
        "messageId": "18c2f0a1", "content": "Gladly.", "replyAll": True, "cc": "dan@example.com",
    }, (
        Exchange(
            "GET /users/me/messages/18c2f0a1?format=metadata&metadataHeaders=From"
            "&metadataHeaders=Reply-To&metadataHeaders=To&metadataHeaders=Cc"
            "&metadataHeaders=Subject&metadataHeaders=Message-ID&metadataHeaders=References",
            File("google/message.json"), base=MAIL,
        ),
        Exchange(
            "GET /users/me/profile", {"emailAddress": "alice@example.com"}, base=MAIL,
        ),
        Exchange(
            "POST /users/me/messages/send",
            {"id": "18c2f0b7", "threadId": "18c2f0a1", "labelIds": ["SENT"]}, base=MAIL,
            body={
                "raw": encode_message(
                    "In-Reply-To: <1@example.com>\r\nReferences: <1@example.com>\r\n"
                    "To: bob@example.com\r\nCc: carol@example.com,\r\n dan@example.com\r\n"
                    "Subject: Re: Lunch\r\nMIME-Version: 1.0\r\n"
                    'Content-Type: text/plain; charset="utf-8"\r\n'
                    "Content-Transfer-Encoding: 7bit\r\n\r\nGladly.\r\n"
                ),
                "threadId": "18c2f0a1",
            },
        ),
    )),),
)  # fmt: skip
