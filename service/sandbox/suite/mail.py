"""The suite's mail. A letter from one account to the other really arrives there."""

import base64
import binascii
import re
import secrets
import time
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import format_datetime, formataddr, getaddresses
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.database.access import write_transaction
from service.extensions import db
from service.sandbox.suite.client import DemoAccount, with_address
from service.sandbox.suite.models import SuiteMessage
from service.sandbox.suite.routes import ApiError, ApiRequest, Route, not_found, page
from service.times import now

READ = frozenset({"mail.full", "mail.modify", "mail.readonly"})
SEE = READ | {"mail.metadata"}
MODIFY = frozenset({"mail.full", "mail.modify"})
SEND = MODIFY | {"mail.compose", "mail.send"}
HIDDEN = {"SPAM", "TRASH"}


def list_messages(request: ApiRequest) -> dict[str, Any]:
    query = request.one("q")
    if query and READ.isdisjoint(request.scopes):
        raise ApiError(403, "forbidden", "Metadata scope does not support 'q' parameter")
    wanted = set(request.query.get("labelIds", []))
    hidden = set() if request.one("includeSpamTrash") == "true" else HIDDEN - wanted
    found = [
        message
        for message in _of(request.account)
        if wanted <= set(message.labels)
        and not hidden & set(message.labels)
        and _fits(message, query)
    ]
    shown, more = page(request, found, request.number("maxResults", 100, 500))
    ids = [{"id": m.message_id, "threadId": m.thread_id} for m in shown]
    return {**({"messages": ids} if ids else {}), "resultSizeEstimate": len(found), **more}


def get(request: ApiRequest) -> dict[str, Any]:
    message = _one(db.session(), request)
    form = request.one("format", "full")
    if form != "metadata" and READ.isdisjoint(request.scopes):
        raise ApiError(403, "forbidden", f"Metadata scope doesn't allow format {form.upper()}")
    resource = _to_json(message)
    if form == "raw":
        return {**resource, "raw": _base64url(message.raw)}
    wanted = {name.lower() for name in request.query.get("metadataHeaders", [])}
    headers = [h for h in message.headers if not wanted or h[0].lower() in wanted]
    payload: dict[str, Any] = {"headers": [{"name": n, "value": v} for n, v in headers]}
    if form == "full":
        payload |= {"mimeType": "text/plain", "body": {"data": _base64url(message.text.encode())}}
    return {**resource, "payload": payload}


def send(request: ApiRequest) -> dict[str, Any]:
    given = request.json()
    try:
        letter = message_from_bytes(
            base64.urlsafe_b64decode(given.get("raw", "")), policy=policy.default
        )
    except (binascii.Error, TypeError, ValueError):
        raise ApiError(400, "invalidArgument", "Invalid value for raw") from None
    with write_transaction() as session:
        return _to_json(deliver(session, request.account, letter, given.get("threadId")))


def modify(request: ApiRequest) -> dict[str, Any]:
    given = request.json()
    with write_transaction() as session:
        message = _one(session, request)
        kept = set(message.labels) - set(given.get("removeLabelIds", []))
        message.labels = sorted(kept | set(given.get("addLabelIds", [])))
        return _to_json(message)


def profile(request: ApiRequest) -> dict[str, Any]:
    return {"emailAddress": request.account.email, "messagesTotal": len(_of(request.account))}


def deliver(
    session: Session, sender: DemoAccount, letter: EmailMessage, thread: str | None = None
) -> SuiteMessage:
    """Put a letter into the sender's sent mail and the receivers' inboxes. Return the sent one."""
    for name in ("From", "Date", "Message-ID"):
        del letter[name]
    letter["From"] = formataddr((sender.name, sender.email))
    letter["Date"] = format_datetime(now())
    letter["Message-ID"] = f"<{secrets.token_hex(12)}@suite.invalid>"
    listed = [str(value) for name in ("To", "Cc", "Bcc") for value in letter.get_all(name, [])]
    receivers = [with_address(address) for _, address in getaddresses(listed)]
    if not listed:
        raise ApiError(400, "invalidArgument", "Recipient address required")
    sent = store(session, sender, letter, ["SENT"], thread)
    del letter["Bcc"]
    for receiver in dict.fromkeys(receivers):
        if receiver:
            store(session, receiver, letter, ["INBOX", "UNREAD"], None)
    return sent


def store(
    session: Session,
    account: DemoAccount,
    letter: EmailMessage,
    labels: list[str],
    thread: str | None,
) -> SuiteMessage:
    body = letter.get_body(("plain", "html"))
    last = session.scalar(select(func.max(SuiteMessage.seq))) or 0
    message = SuiteMessage(
        message_id=secrets.token_hex(8),
        seq=max(last + 1, round(time.time() * 1000)),
        account=account.id,
        thread_id="",
        labels=labels,
        headers=[[name, str(value)] for name, value in letter.items()],
        text=body.get_content() if body else "",
        raw=letter.as_bytes(policy=policy.SMTP),
    )
    message.thread_id = _thread(session, account, message, thread) or message.message_id
    session.add(message)
    session.flush()
    return message


def _thread(
    session: Session, account: DemoAccount, message: SuiteMessage, thread_id: str | None
) -> str | None:
    """Return the thread of the message that this one answers, if their subjects are the same.

    For messages that the account itself sends, Gmail also requires the thread to be named.
    """
    named = f"{_header(message, 'in-reply-to')} {_header(message, 'references')}"
    ids = set(re.findall(r"<[^<>\s]+>", named))
    for earlier in session.scalars(select(SuiteMessage).filter_by(account=account.id)):
        answered = _header(earlier, "message-id") in ids
        wanted = thread_id == earlier.thread_id or "SENT" not in message.labels
        if answered and wanted and _subject(earlier) == _subject(message):
            return earlier.thread_id
    return None


def _of(account: DemoAccount) -> list[SuiteMessage]:
    mine = select(SuiteMessage).filter_by(account=account.id).order_by(SuiteMessage.seq.desc())
    return list(db.session.scalars(mine))


def _one(session: Session, request: ApiRequest) -> SuiteMessage:
    mine = select(SuiteMessage).filter_by(
        account=request.account.id, message_id=request.path["message_id"]
    )
    message = session.scalar(mine)
    if message is None:
        raise not_found("Requested entity was")
    return message


def _fits(message: SuiteMessage, query: str) -> bool:
    """Search as Gmail does, with `is:unread`, `from:…`, `to:…`, `subject:…` and plain words."""
    whole = " ".join([*(value for _, value in message.headers), message.text]).lower()
    for term in query.lower().split():
        key, _, value = term.partition(":")
        if key == "is" and value == "unread":
            fits = "UNREAD" in message.labels
        elif key in ("from", "to", "subject") and value:
            fits = value in _header(message, key).lower()
        else:
            fits = term in whole
        if not fits:
            return False
    return True


def _to_json(message: SuiteMessage) -> dict[str, Any]:
    return {
        "id": message.message_id,
        "threadId": message.thread_id,
        "labelIds": message.labels,
        "snippet": " ".join(message.text.split())[:120],
        "internalDate": str(message.seq),
    }


def _header(message: SuiteMessage, name: str) -> str:
    return next((value for key, value in message.headers if key.lower() == name), "")


def _subject(message: SuiteMessage) -> str:
    return re.sub(r"^(re:\s*)+", "", _header(message, "subject").strip().lower())


def _base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode()


ROUTES = (
    Route("GET", "/mail/users/me/messages", SEE, list_messages),
    Route("GET", "/mail/users/me/messages/<message_id>", SEE, get),
    Route("POST", "/mail/users/me/messages/send", SEND, send),
    Route("POST", "/mail/users/me/messages/<message_id>/modify", MODIFY, modify),
    Route("GET", "/mail/users/me/profile", SEE | {"mail.compose"}, profile),
)
