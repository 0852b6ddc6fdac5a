"""Pieces of text alone are read without the wire's decoder: to the same events as with it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.providers.events import Event, ProviderError, TextFragment
from service.providers.sse import EventReader
from service.providers.stream import decode
from service.providers.texts import TextReader
from service.providers.wires.answers import dump
from tests.providers.stream_reading import (
    BC,
    LINE_ENDS,
    NAMES,
    A,
    decoder_of,
    pieces,
    read,
    repeatable,
    stream_bytes,
    wire_of,
)

EVENTS = 0  # as a size: the stream is cut between its events


def cut(data: bytes, size: int) -> list[bytes]:
    if size:
        return list(pieces(data, size))
    return [block + b"\n\n" for block in data.split(b"\n\n") if block]


def through_shortcut(data: bytes, wire, size: int) -> tuple[list[Event | str], int]:
    """The events, the fault that ended them if any, and how many pieces the shortcut has taken."""
    events: list[Event | str] = []
    parts, reader, decoder = iter(cut(data, size)), EventReader(), decoder_of(wire)
    shortcut = TextReader(reader, decoder)
    taken = 0

    def next_piece() -> bytes:
        nonlocal taken
        for piece in parts:
            texts = shortcut.texts(piece)
            if texts is None:
                return piece
            taken += 1
            events.extend(map(TextFragment, texts))
        return b""

    collect(decode(next_piece, decoder, reader, lambda: None), events)
    return events, taken


def collect(found, events: list[Event | str]) -> list[Event | str]:
    try:
        for event in found:
            events.append(event)  # noqa: PERF402 - one by one: the shortcut adds between them
    except ProviderError as error:
        events.append(error.fault)
    return events


@pytest.mark.parametrize("line_end", LINE_ENDS, ids=["LF", "CRLF"])
def test_the_events_of_each_stream_are_those_of_the_decoder(line_end):
    for name in NAMES:
        data = stream_bytes(name, line_end)
        expected = collect(read(data, decoder_of(wire_of(name))), [])
        for size in (EVENTS, 50, 97, 251, len(data)):
            assert through_shortcut(data, wire_of(name), size)[0] == expected, (name, size)


@pytest.mark.parametrize(("name", "least"), [("a-text", 2), ("bc-text", 2)])
def test_text_takes_the_shortcut(name, least):
    assert through_shortcut(stream_bytes(name), wire_of(name), EVENTS)[1] >= least


def begun() -> EventReader:
    reader = EventReader()
    assert list(reader.feed(b": begun\n\n")) == []
    return reader


def delta(text: str = "hi", **others: object) -> dict:
    return {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": text},
        **others,
    }


def chunk(delta: dict, **others: object) -> dict:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}], **others}


ODD = [
    (A, {**delta(), "type": "message_delta"}),
    (A, {"type": "content_block_delta", "delta": delta()["delta"]}),
    (A, delta("")),
    (BC, chunk({"content": ""})),
    (BC, chunk({"content": "hi", "refusal": "no"})),
    (BC, chunk({"content": "hi", "tool_calls": [{"index": 0}]})),
    (BC, chunk({"content": "hi", "reasoning": "hm"})),
    (BC, chunk({"content": "hi"}, usage={"prompt_tokens": 1})),
    (BC, chunk({"content": "hi"}, error={"code": 500})),
    (BC, {"choices": [{"delta": {"content": "hi"}, "finish_reason": "stop"}]}),
    (BC, {"choices": [{"delta": {"content": "hi"}}] * 2}),
]


@pytest.mark.parametrize(("wire", "body"), ODD, ids=range(len(ODD)))
def test_whatever_is_not_text_alone_is_left_to_the_decoder(wire, body):
    piece = b"data: " + dump(body) + b"\n\n"
    assert TextReader(begun(), decoder_of(wire)).texts(piece) is None


def test_a_piece_inside_an_event_is_left_to_the_decoder():
    piece = b"data: " + dump(delta()) + b"\n\n"
    reader = begun()
    shortcut = TextReader(reader, decoder_of(A))
    assert shortcut.texts(piece * 2) == ["hi", "hi"]
    assert shortcut.texts(piece[:-1]) is None
    assert list(reader.feed(b"event: error\n")) == []
    assert shortcut.texts(piece) is None


def event_of(wire, text: str, ascii: bool = False) -> bytes:
    body = delta(text) if wire is A else chunk({"content": text})
    head = b"event: content_block_delta\n" if wire is A else b""
    return head + b"data: " + json.dumps(body, ensure_ascii=ascii).encode() + b"\n\n"


def by_decoder(event: bytes, wire) -> list[str] | None:
    """What a reader says that has parsed nothing before, as each does first."""
    return TextReader(begun(), decoder_of(wire)).texts(event)


HINTS = ("text", "text_delta", "content", "probe", '"', "\\", "}", "\n", "\ud800", "\x00")
TEXTS = st.text(st.characters(exclude_categories=())) | st.sampled_from(HINTS)


@pytest.mark.parametrize("wire", [A, BC], ids=["A", "BC"])
@repeatable(200)
@given(first=TEXTS, text=TEXTS, ascii=st.booleans())
def test_of_a_second_event_the_text_alone_is_parsed(wire, first, text, ascii):
    first, text = (each.encode("utf-8", "replace").decode() for each in (first, text))
    decoder = decoder_of(wire)
    reader = TextReader(begun(), decoder)
    reader.texts(event_of(wire, first.replace("\0", "") or "x"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoder, "text", lambda data: None)
        found = reader.texts(event_of(wire, text or "x", ascii))
    assert found == by_decoder(event_of(wire, text or "x"), wire)


INSIDE = [
    b'"',
    b"\\",
    b'"}}',
    b'","',
    b":",
    b"\n",
    b"\r",
    b"\\ud83d",
    b"\xff",
    b"[" * 2000,
    b"1",
    b" ",
]


@pytest.mark.parametrize("wire", [A, BC], ids=["A", "BC"])
@repeatable(300)
@given(pieces=st.lists(st.sampled_from(INSIDE) | st.binary(max_size=4), max_size=6))
def test_whatever_stands_between_known_bytes_is_what_the_decoder_says(wire, pieces):
    reader = TextReader(begun(), decoder_of(wire))
    known = event_of(wire, "known")
    assert reader.texts(known) == ["known"]
    for around in (b'"%b"', b"%b"):
        event = known.replace(b'"known"', around.replace(b"%b", b"".join(pieces)))
        assert reader.texts(event) == by_decoder(event, wire)


def test_events_that_differ_in_more_are_parsed_each():
    reader = TextReader(begun(), decoder_of(BC))
    for number in range(10):
        piece = b"data: " + dump(chunk({"content": "hi"}, obfuscation=f"{number}")) + b"\n\n"
        assert reader.texts(piece) == ["hi"]
