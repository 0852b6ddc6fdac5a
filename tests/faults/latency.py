"""How long things take to somebody, while somebody else makes trouble."""

import time
from collections.abc import Callable
from itertools import pairwise

import gevent

from tests.faults.client import Client
from tests.faults.follower import Listener
from tests.records.conftest import Hands
from tests.services import Service, wait_for

PACE = 0.04  # seconds between two writes


class Meter:
    """A subscriber, and somebody who writes what it subscribes to."""

    def __init__(self, service: Service, subject: str, listener: Listener) -> None:
        self._hands = Hands(service, subject)
        self._told = listener.subscribe("notes")
        self._note = self._hands.create("notes", title="measured")["recordId"]
        wait_for(lambda: self._told.records)

    def while_(self, goes_on: Callable[[], object]) -> list[float]:
        """Milliseconds from each request to its change's arrival, in order of length."""
        before, asked = len(self._told.times), []
        with self._hands.session:
            while goes_on():
                asked.append(time.monotonic())
                self._hands.update("notes", self._note, text=str(len(asked)))
                gevent.sleep(max(0.0, asked[-1] + PACE - time.monotonic()))
        wait_for(lambda: len(self._told.times) == before + len(asked))
        pairs = zip(asked, self._told.times[before:], strict=True)
        return sorted((told - begun) * 1000 for begun, told in pairs)


def for_seconds(seconds: float) -> Callable[[], bool]:
    end = time.monotonic() + seconds
    return lambda: time.monotonic() < end


def p99(ordered: list[float]) -> float:
    return ordered[len(ordered) * 99 // 100]


def longest_gap(client: Client, content: str, allowed: float) -> float:
    """Milliseconds between two reads of the sandbox's answer.

    Of up to three answers, for the machine has pauses of its own.
    """
    gaps = [_longest_gap(client, content)]
    while gaps[-1] > allowed and len(gaps) < 3:
        gaps.append(_longest_gap(client, content))
    return gaps[-1]


def _longest_gap(client: Client, content: str) -> float:
    chat = client.new_chat()
    turn = client.ask(chat, content, chat, modelId="gen-5.4")
    turn.read_until(b"text-delta")
    read = [time.monotonic()]
    while b"[DONE]" not in turn.raw:
        turn.raw += turn.sock.recv(65536)
        read.append(time.monotonic())
    assert turn.chunks[-1]["type"] == "finish"
    return max(later - earlier for earlier, later in pairwise(read)) * 1000
