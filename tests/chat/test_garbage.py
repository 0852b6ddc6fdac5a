"""An ended turn is freed at once. What the collector has to find stays for hours in a worker that
is busy: objects that have survived two collections are looked at again once in a thousand."""

import gc

import pytest

from service.chat.stream.channel import Channel
from service.chat.turn.running import Run
from service.chat.turn.step import Step
from service.generation.pace import PacedReader
from service.outbound.body import Dechunker
from service.outbound.upstream import PooledStream
from tests.services import on_sqlite

pytestmark = on_sqlite
OF_A_TURN = (Channel, Dechunker, PacedReader, PooledStream, Run, Step)


@pytest.fixture
def found():
    """What the collector has found of turns since the test began; other tests leave whole apps."""
    gc.collect()
    gc.disable()

    def ours():
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        return [type(one) for one in gc.garbage if type(one) in OF_A_TURN]

    yield ours
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


@pytest.mark.parametrize("content", ["count to 30", "call user.current with {}", "fail: cut"])
def test_a_turn_leaves_no_cycle(alice, chat, found, content):
    for _ in range(3):
        alice.turn(chat, content)
    assert found() == []
