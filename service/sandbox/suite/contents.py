"""The initial contents of an account of the suite."""

import secrets
from datetime import timedelta
from email.message import EmailMessage

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.sandbox.suite import calendar, drive, mail
from service.sandbox.suite.client import DemoAccount
from service.sandbox.suite.file_lists import FOLDER, OURS
from service.sandbox.suite.models import SuiteEvent, SuiteFile, SuiteMessage
from service.times import now

LETTERS = (
    ("Cleo Marsh <cleo@example.com>", "Offer for the new sign", "Two colours, ready in May: 480."),
    ("Dani Okafor <dani@example.com>", "Drafts", "The three drafts are in the folder."),
    ("Emil Åkesson <emil@example.com>", "Grüße aus Malmö", "Wir sehen uns am Montag."),
    ("Fay Lindqvist <fay@example.com>", "Lunch?", "At noon, where we were last time?"),
)
EVENTS = (  # hours until the start, hours of duration, title, place
    (2, 1, "Stand-up", "Room 2"),
    (26, 2, "Visit to the printer", "12 Mill Lane"),
    (75, 1, "Call with Dani", ""),
)
FILES = (
    ("Read me first.txt", "text/plain", b"These files are the sandbox's."),
    ("Meeting notes", f"{OURS}document", b"Agreed: blue.\nOpen: the price.\n"),
    ("Prices", f"{OURS}spreadsheet", b"item,price\nsign,480\nposter,35\n"),
    ("dot.gif", "image/gif", bytes.fromhex("47494638396101000100800000000000ffffff2c00000000010001"
                                           "0000020144003b")),
)  # fmt: skip


def fill(session: Session, account: DemoAccount) -> None:
    """Give an account its contents once, and new events when all events are over."""
    if session.scalar(select(SuiteMessage).filter_by(account=account.id).limit(1)) is None:
        for letter in LETTERS:
            mail.store(session, account, _letter(account, *letter), ["INBOX", "UNREAD"], None)
    if session.scalar(select(SuiteFile).filter_by(account=account.id).limit(1)) is None:
        _add_files(session, account)
    coming = select(SuiteEvent).filter_by(account=account.id).where(SuiteEvent.ends_at > now())
    if session.scalar(coming.limit(1)) is None:
        _add_events(session, account)


def _letter(account: DemoAccount, sender: str, subject: str, text: str) -> EmailMessage:
    letter = EmailMessage()
    letter["From"], letter["To"], letter["Subject"] = sender, account.email, subject
    letter["Date"] = now()
    letter["Message-ID"] = f"<{secrets.token_hex(12)}@example.com>"
    letter.set_content(text)
    return letter


def _add_files(session: Session, account: DemoAccount) -> None:
    folder = secrets.token_hex(14)
    facts = {"account": account.id, "parents": [drive.ROOT]}
    session.add(SuiteFile(file_id=folder, name="Drafts", mime_type=FOLDER, **facts))
    for name, kind, content in FILES:
        inside = {**facts, "parents": [folder]} if kind.startswith("image/") else facts
        session.add(
            SuiteFile(
                file_id=secrets.token_hex(14), name=name, mime_type=kind, content=content, **inside
            )
        )


def _add_events(session: Session, account: DemoAccount) -> None:
    for hours, length, title, place in EVENTS:
        starts = now().replace(minute=0, second=0, microsecond=0) + timedelta(hours=hours)
        ends = starts + timedelta(hours=length)
        times = {
            name: {"dateTime": t.isoformat()} for name, t in (("start", starts), ("end", ends))
        }
        calendar.add(session, account, {"summary": title, "location": place, **times})
    day = (now() + timedelta(days=5)).date()
    span = {"start": {"date": f"{day}"}, "end": {"date": f"{day + timedelta(days=1)}"}}
    calendar.add(session, account, {"summary": "Fair", **span})
