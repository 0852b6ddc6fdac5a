"""Streams that stop at any byte: a step is finished only by the provider's own terminal event."""

import pickle
import re
from collections.abc import Iterator

import pytest

from service.providers.provider import Wire
from service.providers.sse import EventReader
from tests.providers import recorded_streams
from tests.providers.expected_streams import ANSWERS, FAULTS
from tests.providers.stream_reading import (
    BC,
    A,
    decoder_of,
    ending,
    events_of,
    stream_bytes,
    terminal_end,
    wire_of,
)


def check(place: tuple[str, int], outcome: str, terminal: int, size: int, wire: Wire) -> None:
    """`place` is a stream and a length of it, `terminal` the length at which its terminal event is
    whole, and `size` the whole stream's."""
    length = place[1]
    if length < terminal:
        assert outcome == "cut", place
    elif wire is A or length in (terminal, size):
        assert outcome == "finished", place
    else:  # B and C go on behind it: a tail cut inside an event, such as the usage, is a cut
        assert outcome in ("finished", "cut"), place


def test_each_stream_is_cut_until_its_terminal_event_is_whole():
    for name in ANSWERS:
        data, wire = stream_bytes(name), wire_of(name)
        terminal = terminal_end(data, wire)
        assert terminal, name
        for length in range(len(data) + 1):
            outcome = ending(data[:length], decoder_of(wire))
            check((name, length), outcome, terminal, len(data), wire)


def test_a_failing_stream_never_looks_finished():
    for name, fault in FAULTS.items():
        data, wire = stream_bytes(name), wire_of(name)
        outcomes = [ending(data[:length], decoder_of(wire)) for length in range(len(data) + 1)]
        assert set(outcomes) <= {"cut", fault}, name
        assert outcomes[-1] == fault, name
        fallen = outcomes.index(fault)
        assert set(outcomes[fallen:]) == {fault}, f"{name}: once it has failed it stays so"


def endings(data: bytes, wire: Wire) -> Iterator[tuple[int, str]]:
    """Each length of a prefix, and what that prefix comes to.

    A reader holds nothing between two events, so a copied decoder stands for the events before
    the last one: reading every prefix from its beginning would take minutes for the longest.
    """
    decoder, begin = decoder_of(wire), 0
    for block in re.findall(rb".+?(?:\n{2,}|\Z)", data, re.DOTALL):
        before = pickle.dumps(decoder)
        for length in range(len(block)):
            yield begin + length, ending(block[:length], pickle.loads(before))
        for event in EventReader().feed(block):
            list(decoder.feed(event))
        begin += len(block)


@pytest.mark.skipif(not recorded_streams.FOLDER, reason="FIXTURES_DIR is not set")
@pytest.mark.parametrize("name", recorded_streams.FILES)
def test_a_recording_is_cut_until_its_terminal_event_is_whole(name):
    data, wire = recorded_streams.recorded_bytes(name), recorded_streams.wire_of(name)
    terminal = terminal_end(data, wire)
    assert terminal
    assert ending(data, decoder_of(wire)) == "finished"
    for length, outcome in endings(data, wire):
        check((name, length), outcome, terminal, len(data), wire)


@pytest.mark.parametrize("name", ["a-tool", "bc-tool"])
def test_a_copied_decoder_stands_for_what_it_has_read(name):
    data, wire = stream_bytes(name), wire_of(name)
    assert list(endings(data, wire)) == [
        (length, ending(data[:length], decoder_of(wire))) for length in range(len(data))
    ]


def test_a_finish_reason_is_enough_where_nothing_follows():
    data = stream_bytes("bc-text")
    behind = data.index(b"\n\n", terminal_end(data, BC)) + 2
    (*_, finished) = events_of(data[:behind], BC)
    assert (finished.reason, finished.usage) == ("stop", None)


@pytest.mark.parametrize("wire", [A, BC], ids=["A", "BC"])
def test_no_bytes_at_all_are_a_cut(wire):
    for data in (b"", b"\n", b"\r\n\r\n", b": hello\n\n", b"event: message_stop\n\n"):
        assert ending(data, decoder_of(wire)) == "cut"
