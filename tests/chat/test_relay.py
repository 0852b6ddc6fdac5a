"""Readers of a turn that runs in another worker: an app's watchers that know none of its turns."""

import gevent
import pytest

from service.chat.relay.watchers import Watchers
from service.chat.stream import chunks
from service.chat.stream.channel import Channel
from service.chat.turn import claim_watch
from service.chat.turn.running import Run, Runs
from tests.chat.test_claims import begin, end, said
from tests.chat.test_resume import watch, whole
from tests.people import text_of, types


@pytest.fixture
def elsewhere(app, monkeypatch):
    watchers = Watchers(app, Runs())
    monkeypatch.setitem(app.extensions, "watchers", watchers)
    yield watchers
    watchers.stop()


def test_who_begins_to_watch_just_before_the_end_reads_the_whole_reply(
    alice, app, chat, served_by, elsewhere, monkeypatch
):
    monkeypatch.setattr(claim_watch, "LOOK_SECONDS", 60)  # it does not see the reader in time
    answer, gate = said("hello you")
    served_by.answers = [answer]
    first = begin(alice, served_by, chat)
    watching = watch(alice, chat)
    second = gevent.spawn(lambda: whole(watching))
    end(first, gate)
    read = second.get(timeout=30)
    assert (types(read)[-1], text_of(read)) == ("finish", "hello you")


def test_who_watches_before_the_turn_begins_gets_its_first_chunk(alice, chat, monkeypatch):
    channel, add = Channel(), Runs.add

    def watch_at_once(runs: Runs, run: Run) -> None:
        add(runs, run)
        run.watch(channel, 0)

    monkeypatch.setattr(Runs, "add", watch_at_once)
    first = alice.turn(chat, "hello")
    start, *rest = channel.take()
    assert isinstance(start, chunks.Start)
    assert start.messageMetadata["userMessage"]["content"] == "hello"
    assert len(rest) == len(first) - 1
