"""New changes go straight from the feed to many sockets, each message made once."""

import pytest

from service.records.audience import Audiences
from service.records.cursor import Position
from tests.records.board import change, subscription


class Listener:
    """A session without a socket, which keeps what is delivered to it."""

    def __init__(self, subject):
        self.subject, self.memberships, self.received, self.is_behind = subject, [], [], False

    def deliver(self, frames, tail, moment):
        self.received.append(frames)

    def fall_behind(self):
        self.is_behind = True


def delivered(changes, subscriptions):
    """Deliver to sessions, each with a subject and its subscriptions, and return them."""
    audiences, listeners = Audiences(), []
    for subject, own in subscriptions:
        listeners.append(Listener(subject))
        audiences.join(listeners[-1], own)
    audiences.deliver(changes, changes[-1].position)
    return listeners


def test_a_message_is_made_once_for_all_who_receive_it():
    people = [(f"user-{number}", [subscription(text="hello")]) for number in range(300)]
    listeners = delivered([change(1)], people)
    assert [len(one.received) for one in listeners] == [1] * 300
    assert len({id(one.received[0]) for one in listeners}) == 1


def test_filters_owners_and_ids_divide_the_audiences():
    alice, bob, other, picky = delivered(
        [change(1), change(2, text="bye")],
        [("alice", [subscription(rule="own")]), ("bob", [subscription(rule="own")]),
         ("bob", [subscription(id=7)]), ("bob", [subscription(text="bye")])],
    )  # fmt: skip
    assert bob.received == []
    assert alice.received[0].count(b'"id":"s"') == other.received[0].count(b'"id":7') == 2
    assert picky.received[0].count(b'"bye"') == picky.received[0].count(b'"type"') == 1


def test_a_session_of_which_several_subscriptions_are_concerned_sorts_the_messages_itself():
    both, one = delivered(
        [change(1)],
        [("bob", [subscription("a"), subscription("b")]),
         ("bob", [subscription("a"), subscription("b", text="bye")])],
    )  # fmt: skip
    assert (both.received, both.is_behind) == ([], True)
    assert one.is_behind  # the filter of the second decides later


def test_who_has_left_receives_nothing_and_no_audience_remains():
    audiences, listener = Audiences(), Listener("bob")
    audiences.join(listener, [subscription("a"), subscription("b")])
    audiences.leave(listener)
    audiences.deliver([change(1)], Position(0, 1))
    assert (listener.received, listener.is_behind) == ([], False)
    assert vars(Audiences())["_by_extent"] == vars(audiences)["_by_extent"] == {}


def test_messages_come_by_change_and_then_by_subscription(subscriber, new_writer):
    alice, writer = subscriber(), new_writer()
    for id in ("a", "b"):
        alice.subscribe("notes", id)
    for number in range(5):
        writer.create("notes", title=str(number))
    messages = [alice.read() for _ in range(10)]
    got = [(message["record"]["data"]["title"], message["id"]) for message in messages]
    assert got == [(str(number), id) for number in range(5) for id in ("a", "b")]


@pytest.mark.parametrize("live_service", ["sqlite"], indirect=True)
def test_what_the_kernel_takes_in_part_arrives_whole(subscriber, new_writer):
    slow, writer = subscriber(slow=True), new_writer()
    slow.subscribe("canvases")
    with writer.session:  # few and large: a client that reads nothing for 25 s is disconnected
        made = [writer.create("canvases", title=str(n), io={"x": "x" * 900_000}) for n in range(8)]
    assert slow.changes(8) == [("added", one) for one in made]
