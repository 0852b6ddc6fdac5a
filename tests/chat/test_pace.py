"""Fast streams are read at intervals, slow ones as they come."""

from types import SimpleNamespace

import pytest

from service.generation import pace
from service.generation.pace import FAST, INTERVAL, STREAK, PacedReader


class Stream:
    """Gives a token each `gap` seconds of its own clock; a read takes all that have come."""

    def __init__(self, gap: float) -> None:
        self.gap, self.now, self.taken, self.sleeps = gap, 0.0, 0, []

    def read(self) -> bytes:
        due = int(self.now / self.gap + 1e-9) - self.taken
        if due < 1:
            self.now = (self.taken + 1) * self.gap
            due = 1
        self.taken += due
        return b"x" * due

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds


@pytest.fixture
def begin(monkeypatch):
    """Begins a stream, whose clock is then that of its reader."""

    def beginning(gap: float) -> tuple[Stream, PacedReader]:
        stream = Stream(gap)
        monkeypatch.setattr(pace, "time", SimpleNamespace(monotonic=lambda: stream.now))
        monkeypatch.setattr(pace, "gevent", SimpleNamespace(sleep=stream.sleep))
        return stream, PacedReader(stream.read)

    return beginning


@pytest.mark.parametrize("gap", [FAST * 1.01, 0.025, 1.0])
def test_a_slow_stream_is_read_as_it_comes(begin, gap):
    stream, paced = begin(gap)
    assert [paced.read() for _ in range(50)] == [b"x"] * 50
    assert not stream.sleeps


def test_a_fast_stream_shares_reads_but_for_its_first_tokens(begin):
    stream, paced = begin(0.005)
    assert [paced.read() for _ in range(STREAK)] == [b"x"] * STREAK
    assert {len(paced.read()) for _ in range(20)} == {6}
    assert stream.sleeps == [INTERVAL] * 20


def test_a_stream_that_slows_down_is_no_longer_held(begin):
    stream, paced = begin(0.005)
    for _ in range(STREAK + 2):
        paced.read()
    stream.gap, stream.taken = 0.1, int(stream.now / 0.1)
    for _ in range(3):
        paced.read()
    held = len(stream.sleeps)
    for _ in range(10):
        paced.read()
    assert len(stream.sleeps) == held


def test_a_fast_stream_s_pieces_are_left_to_its_reader(begin):
    """Nobody may take them while a read waits, or none would share a read."""
    taken = []
    stream, paced = begin(0.005)
    paced.read()
    stream.now += stream.gap
    while paced.offer(b"x", lambda piece: taken.append(piece) or True):
        stream.now += stream.gap
    assert len(taken) == STREAK - 2
    for _ in range(2):
        paced.read()
    assert stream.sleeps == [INTERVAL]
