"""Letters: what a mail program reads from them is what was given, and long ones cost no more."""

import base64
import re
import sys
from email import message_from_bytes
from email.header import decode_header, make_header
from email.utils import formataddr, getaddresses

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from service.integrations.vendors.google import mail_sending
from service.integrations.vendors.google.letter import encode_message, letter, reply_to
from service.integrations.vendors.google.mailboxes import addresses, parse_mailboxes
from service.web.errors import InvalidRequest
from tests.depth import depth
from tests.integrations.office_suite import connect
from tests.services import on_sqlite


@pytest.fixture
def connected(alice):
    connect(alice, "cloudsuite/mail-send")


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
NAMES = st.one_of(TEXTS, st.text('ab,;<>()[]@:."\\ ', max_size=60))
HOSTS = st.from_regex(r"[a-z0-9]{1,9}(\.[a-z0-9]{1,60}){1,4}", fullmatch=True)
LOCALS = st.from_regex(r"[A-Za-z0-9!#$%&'*+/=^_`{|}~-]{1,150}", fullmatch=True)
PEOPLE = st.lists(st.tuples(NAMES, LOCALS, HOSTS), min_size=1, max_size=5)
CONTENTS = st.one_of(TEXTS, st.text("ab \r\n.", max_size=300), st.just("x" * 1200))


@given(PEOPLE, TEXTS, CONTENTS)
@settings(max_examples=depth(100), deadline=None)
def test_a_letter_is_what_python_reads_from_it(people, subject, content):
    listed = ", ".join(formataddr((" ".join(n.split()), f"{a}@{h}")) for n, a, h in people)
    known = addresses(listed)
    assume(known)  # a name may have what ends it
    wire = base64.urlsafe_b64decode(encode_message(letter(listed, subject, content, cc=listed)))
    head, _, body = wire.partition(b"\r\n\r\n")
    assert wire.isascii()
    assert max(map(len, wire.split(b"\r\n"))) <= 998
    assert b"\r" not in wire.replace(b"\r\n", b"")
    fields = re.sub(rb"\r\n ", b" ", head).split(b"\r\n")
    names = ["To", "Cc", "Subject", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"]
    assert [field.partition(b":")[0].decode() for field in fields] == names
    read = message_from_bytes(wire)
    assert decoded(read["Subject"]) == " ".join(subject.split())
    for header in ("To", "Cc"):
        got = [(decoded(name), address) for name, address in getaddresses([read[header]])]
        assert got == [(name, address) for name, address in known]
    text = re.sub("\r\n|\r|\n", "\r\n", content)
    whole = text if text.endswith("\r\n") or not text else f"{text}\r\n"
    assert read.get_payload(decode=True).decode() == whole


def decoded(header):
    unfolded = re.sub(r"\r?\n ", " ", header)
    return str(make_header(decode_header(unfolded))) if "=?" in unfolded else unfolded


def test_a_header_takes_steps_in_proportion_to_its_length():
    """Of Python's own, counted as calls: a name of 4 900 characters took `email` seven seconds."""

    def steps(length):
        name = "\u00e9 " * (length // 2)
        calls = 0

        def count(_frame, event, _argument):
            nonlocal calls
            calls += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            encode_message(letter(f'"{name}" <a@example.com>', name[:900], "c"))
        finally:
            sys.setprofile(None)
        return calls

    assert steps(4800) < 5 * steps(1200)


@on_sqlite
def test_what_has_too_many_characters_is_looked_at_no_further(ask, connected, monkeypatch):
    looked_at = []

    def look(text):
        looked_at.append(len(text))
        return addresses(text)

    monkeypatch.setattr(mail_sending, "addresses", look)
    good = {"to": "a@example.com", "subject": "a", "content": "b"}
    for name in ("to", "cc", "bcc", "subject"):
        answer = ask("send-email", {**good, name: "a@example.com," * 70_000})
        assert (answer.status_code, list(answer.json["details"])) == (400, [name])
    assert max(looked_at) <= 5000


@on_sqlite
def test_a_letter_goes_to_a_hundred_at_most(ask, connected):
    good = {"to": "ben@suite.invalid", "subject": "a", "content": "b"}
    fifty = ",".join(f"u{n}@suite.invalid" for n in range(50))
    answer = ask("send-email", {**good, "cc": fifty, "bcc": fifty})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["to"])
    assert ask("send-email", {**good, "cc": fifty}).status_code == 200


@pytest.mark.parametrize("count", [101, 10_000])
@pytest.mark.parametrize("header", ["to", "cc", "reply-to"])
def test_a_reply_to_a_crowd_is_refused_in_words(count, header):
    crowd = ", ".join(f"u{n}@example.com" for n in range(count))
    with pytest.raises(InvalidRequest, match="more people in it than the 100"):
        reply_to({"from": "bob@example.com", header: crowd}, "alice@example.com", "ok")


def test_copies_count_and_endless_headers_are_not_read():
    crowd = {"from": "bob@example.com", "to": ", ".join(f"u{n}@example.com" for n in range(98))}
    reply_to(crowd, "alice@example.com", "ok", cc="c@example.com")
    with pytest.raises(InvalidRequest, match="more people"):
        reply_to(crowd, "alice@example.com", "ok", cc="c@example.com, d@example.com")
    with pytest.raises(InvalidRequest, match="more people"):
        reply_to({"from": f"{'x' * 20_000} <bob@example.com>"}, None, "ok")


def test_a_long_name_is_folded():
    sent = letter(f'"{"Bob " * 1000}" <bob@example.com>', "s", "c")
    assert max(map(len, sent.split("\r\n"))) <= 78


@pytest.mark.parametrize("text", ["(" * 5000, "((" * 2000 + "))", "\\" * 4999])
def test_nested_comments_are_no_addresses(text):
    assert addresses(text) == []
    assert reply_to({"from": text, "to": text}, "alice@example.com", "ok") is None


UNCLEAR = [
    "bob@example.com Bob",
    "bob@example.co m",
    "bob@example.com <mallory@example.net>",
    "<bob@example.com> mallory@example.net",
    "bob@example.com; <carol@example.com>",
    "bob (at home) @example.com",
]


@on_sqlite
@pytest.mark.parametrize("unclear", UNCLEAR)
def test_an_unclear_recipient_is_refused(ask, connected, unclear):
    """Python reads the first as `bob@example.comBob`, and the third as two people."""
    good = {"to": "ben@suite.invalid", "subject": "a", "content": "b"}
    for name in ("to", "cc", "bcc"):
        answer = ask("send-email", {**good, name: f"ben@suite.invalid, {unclear}"})
        assert (answer.status_code, list(answer.json["details"])) == (400, [name])


def test_recipients_are_read_as_mail_programs_read_them():
    assert addresses('bob@x.com <Bob@x.com>, "a@x.com" <c@x.com>,') == [
        ("", "Bob@x.com"),
        ("a@x.com", "c@x.com"),
    ]
    assert addresses('"a, (b" <c@x.com>, (d, "e) f@x.com, g@x.com (h, (i, j))') == [
        ("a, (b", "c@x.com"),
        ('d, "e', "f@x.com"),
        ("h, i, j", "g@x.com"),
    ]
    assert addresses(r'"a \", b" <c@x.com>') == [('a ", b', "c@x.com")]
    assert addresses("Team: a@x.com, b@x.com;") == [("", "a@x.com"), ("", "b@x.com")]
    assert addresses(" , ,") == []
    assert addresses(f"{'a' * 313}@x.com") == [("", f"{'a' * 313}@x.com")]  # 319 characters
    assert addresses(f"{'a' * 315}@x.com") == []


def test_a_reply_goes_to_no_address_in_a_name():
    sender = {"from": "alice@victim.example <Mallory@example.com>"}
    read = message_from_bytes(base64.urlsafe_b64decode(reply_to(sender, None, "ok")))
    assert read["To"] == "mallory@example.com"
    told = "bob@x.com Bob, a@x.com <b@x.com>, Doe, J <J@x.com>, x@y.com z <no>, j@x.com"
    assert parse_mailboxes(told) == ["b@x.com", "j@x.com"]
    assert parse_mailboxes("undisclosed-recipients:;") == []
    assert parse_mailboxes("Bob :) <b@x.com>, (c@x.com") == ["b@x.com"]
    assert parse_mailboxes("Bob :) <b@x.com>, c@x.com (at work)") == ["b@x.com", "c@x.com"]
