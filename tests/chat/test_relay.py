"""Readers of a turn that runs in another worker: an app's watchers that know none of its turns."""

import socket
from unittest.mock import MagicMock, Mock

import gevent
import pytest
from sqlalchemy import text, update
from sqlalchemy.exc import OperationalError

from service import supervised
from service.chat import claims
from service.chat.models import Claim, PublishedChunks
from service.chat.relay import publications, watchers
from service.chat.relay.publisher import Publisher
from service.chat.relay.watchers import LOST_SECONDS, Watcher, Watchers
from service.chat.stream import chunks
from service.chat.stream.channel import Channel
from service.chat.turn import claim_watch
from service.chat.turn.running import Run, Runs
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.upkeep.sweeping import sweep
from tests.chat.gated_turns import begin, end, gated_text
from tests.chat.turn_readers import numbered_chunks, watch
from tests.chat.turns import begin_turn
from tests.people import text_of, types
from tests.postgres import LOCK_WAITS
from tests.services import wait_for


@pytest.fixture
def elsewhere(app, monkeypatch):
    made = Watchers(app, Runs())
    monkeypatch.setitem(app.extensions, "watchers", made)
    yield made
    made.stop()


def test_who_begins_to_watch_just_before_the_end_reads_the_whole_reply(
    alice, app, chat, served_by, elsewhere, monkeypatch
):
    monkeypatch.setattr(claim_watch, "LOOK_SECONDS", 60)  # it does not see the reader in time
    answer, gate = gated_text("hello you")
    served_by.answers = [answer]
    first = begin(alice, served_by, chat)
    watching = watch(alice, chat)
    second = gevent.spawn(lambda: numbered_chunks(watching))
    end(first, gate)
    read = second.get(timeout=30)
    assert (types(read)[-1], text_of(read)) == ("finish", "hello you")


def waits_for_lock(app):
    with app.app_context():
        return db.session.scalar(text(LOCK_WAITS)) > 0


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_turn_whose_claim_is_locked_for_a_moment_is_watched_all_the_same(
    alice, app, chat, served_by, elsewhere
):
    """Another reader asks for it at the same time."""
    answer, gate = gated_text("hello you")
    served_by.answers = [answer]
    first = begin(alice, served_by, chat)
    with app.app_context(), write_transaction() as session:
        session.execute(update(Claim).values(watched_until=from_now(1)))
        watching = gevent.spawn(watch, alice, chat)
        wait_for(lambda: watching.ready() or waits_for_lock(app))
    assert watching.get().status_code == 200
    end(first, gate)
    assert text_of(numbered_chunks(watching.get())) == "hello you"


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


EVENTS = [b'data: {"type":"start-step"}\n\n', b'data: {"type":"finish-step"}\n\n']


def test_chunks_are_kept_for_a_minute_after_the_last_of_their_turn(app, chat):
    """Or a client that comes back would miss those of a long turn's beginning."""
    with app.app_context(), write_transaction() as session:
        publications.add(session, "turn_1", chat, 0, EVENTS[:1], is_end=False)
        session.execute(update(PublishedChunks).values(created_at=from_now(-61)))
        publications.add(session, "turn_1", chat, 1, EVENTS[1:], is_end=True)
        assert publications.sweep(session) == 0
        assert publications.read(session, "turn_1", 0).events == EVENTS
        session.execute(update(PublishedChunks).values(created_at=from_now(-61)))
    with app.app_context():
        sweep()
        assert publications.read(db.session(), "turn_1", 0).events == []
        db.session.commit()


def test_an_outage_of_the_database_is_not_the_loss_of_a_turn(app, chat, elsewhere, monkeypatch):
    """Leases lapse in it, and are renewed a moment after it."""
    watcher = Watcher(chat, "turn_1", 0, None)
    elsewhere._elsewhere.add(watcher)

    def look(watch):
        monkeypatch.setattr(claims, "watch", watch)
        elsewhere._renewed = float("-inf")
        elsewhere._look_safely()
        return watcher.channel.closed

    watcher.seen -= 2 * LOST_SECONDS
    assert not look(Mock(side_effect=OperationalError("", {}, Exception())))
    assert not look(Mock(return_value=set()))
    watcher.seen -= 2 * LOST_SECONDS
    assert look(Mock(return_value=set()))


def test_the_deletion_of_a_chat_ends_the_stream_of_who_watches_from_elsewhere(
    alice, chat, elsewhere, monkeypatch
):
    """The published chunks go with the chat; what was open is closed all the same."""
    monkeypatch.setattr(watchers, "LOST_SECONDS", 0.5)
    response, _, _ = begin_turn(alice, chat)
    watching = watch(alice, chat)
    second = gevent.spawn(lambda: numbered_chunks(watching))
    wait_for(lambda: any(b"text-delta" in e for w in elsewhere._elsewhere for e in w.events))
    assert alice.delete(f"/api/ai/chats/{chat}").status_code == 200
    assert types(second.get(timeout=30))[-3:] == ["text-end", "finish-step", "abort"]
    response.close()


def test_who_has_read_nothing_yet_learns_that_the_chat_was_deleted(
    alice, chat, elsewhere, monkeypatch
):
    watcher = Watcher(chat, "turn_1", 0, None)
    elsewhere._elsewhere.add(watcher)
    monkeypatch.setattr(claims, "watch", Mock(return_value=set()))
    assert alice.delete(f"/api/ai/chats/{chat}").status_code == 200
    watcher.seen -= 2 * LOST_SECONDS
    elsewhere._look_safely()
    assert watcher.channel.take() == [chunks.Abort()]


def test_a_lost_turn_of_a_newer_release_ends_and_keeps_no_other_waiting(
    app, chat, elsewhere, monkeypatch
):
    monkeypatch.setattr(watchers, "RENEW_SECONDS", 60)
    lost, other = [Watcher(chat, "turn_1", 0, None) for _ in "ab"], Watcher(chat, "turn_2", 0, None)
    for watcher in (*lost, other):
        elsewhere.add(watcher)
    for watcher in lost:
        watcher.events, watcher.seen = [b'data: {"type":"start-phase"}\n\n'], float("-inf")
    with app.app_context(), write_transaction() as session:
        publications.add(session, "turn_2", chat, 0, EVENTS, is_end=True)
    wait_for(lambda: other.channel.closed)
    for watcher in lost:
        assert watcher.channel.take() == [chunks.Error(watchers.LOST)]


def test_a_draining_worker_cuts_those_who_read_from_elsewhere(app, chat, elsewhere):
    """Without an ending: the turn goes on, and they come back to another worker."""
    here, there = socket.socketpair()
    elsewhere.add(Watcher(chat, "turn_1", 0, here))
    app.extensions["lifecycle"].on_drain(elsewhere.drain)
    app.extensions["lifecycle"].drain(0.1)
    there.settimeout(5)
    assert there.recv(1) == b""
    for one in (here, there):
        one.close()


def test_a_turn_that_can_not_be_published_keeps_no_other_waiting(app, monkeypatch):
    monkeypatch.setattr(gevent.get_hub(), "handle_error", lambda *_: None)  # which prints it
    monkeypatch.setattr(supervised, "RESTART_SECONDS", 0.01)
    publisher, broken, ended = Publisher(app), MagicMock(), Mock(log=[], is_closed=True)
    broken.log.__len__.return_value, broken.log.after.side_effect = 1, ValueError
    publisher.publish(broken)
    publisher.publish(ended)
    wait_for(lambda: not publisher)


def test_a_turn_whose_publication_broke_off_is_published_on_from_there(app, chat, monkeypatch):
    """Who reads it would get its first chunks twice."""
    monkeypatch.setattr(gevent.get_hub(), "handle_error", lambda *_: None)  # which prints it
    monkeypatch.setattr(supervised, "RESTART_SECONDS", 0.01)
    log = [chunks.StartStep()]
    run = Mock(log=MagicMock(after=lambda number: log[number:], __len__=lambda _: len(log)))
    run.question.turn_id, run.question.chat_id, run.is_closed = "turn_1", chat, False
    publisher = Publisher(app)
    publisher.publish(run)
    publication = publisher._publications["turn_1"]
    wait_for(lambda: publication.published == 1)
    monkeypatch.setattr(run, "log", Mock(__len__=Mock(side_effect=MemoryError)))
    wait_for(lambda: not publisher)
    monkeypatch.undo()
    log.append(chunks.FinishStep())
    run.is_closed = True
    publisher.publish(run)
    wait_for(lambda: not publisher)
    with app.app_context():
        assert publications.read(db.session(), "turn_1", 0).events == EVENTS
        db.session.commit()
