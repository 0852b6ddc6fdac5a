"""Pieces of text alone are read without the wire's decoder: to the same events as with it."""

import pytest

from service.providers.events import Event, ProviderError, TextFragment
from service.providers.sse import EventReader
from service.providers.stream import decode, texts_of
from service.providers.wires.answers import dump
from tests.providers.reading import (
    BC,
    LINE_ENDS,
    NAMES,
    A,
    decoder_of,
    pieces,
    raw,
    read,
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
    taken = 0

    def next_piece() -> bytes:
        nonlocal taken
        for piece in parts:
            texts = texts_of(piece, reader, decoder)
            if texts is None:
                return piece
            taken += 1
            events.extend(map(TextFragment, texts))
        return b""

    collect(decode(next_piece, decoder, reader), events)
    return events, taken


def collect(found, events: list[Event | str]) -> list[Event | str]:
    try:
        for event in found:
            events.append(event)  # noqa: PERF402 - one by one: the shortcut adds between them
    except ProviderError as error:
        events.append(error.fault)
    return events


@pytest.mark.parametrize("line_end", LINE_ENDS, ids=["LF", "CRLF"])
@pytest.mark.parametrize("name", NAMES)
def test_the_events_are_those_of_the_decoder(name, line_end):
    data = raw(name, line_end)
    expected = collect(read(data, decoder_of(wire_of(name))), [])
    for size in (EVENTS, 50, 97, 251, len(data)):
        assert through_shortcut(data, wire_of(name), size)[0] == expected


@pytest.mark.parametrize(("name", "least"), [("a-text", 2), ("bc-text", 2)])
def test_text_takes_the_shortcut(name, least):
    assert through_shortcut(raw(name), wire_of(name), EVENTS)[1] >= least


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
    assert texts_of(piece, begun(), decoder_of(wire)) is None


def test_a_piece_inside_an_event_is_left_to_the_decoder():
    piece = b"data: " + dump(delta()) + b"\n\n"
    reader = begun()
    assert texts_of(piece * 2, reader, decoder_of(A)) == ["hi", "hi"]
    assert texts_of(piece[:-1], reader, decoder_of(A)) is None
    assert list(reader.feed(b"event: error\n")) == []
    assert texts_of(piece, reader, decoder_of(A)) is None
