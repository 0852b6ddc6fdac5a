"""A long history lets other requests of its worker go on while it is made ready for the model."""

import pytest

from service.chat.history import recall
from service.chat.turn import conversation
from tests.chat.long_chats import fill
from tests.people import text_of
from tests.records.greenlet_turns import count_greenlet_turns

COUNT = 3000
STEP = 50


def counting(function, counts):
    """The function; how often another greenlet has run during a call of it goes into `counts`."""

    def call(*arguments):
        with count_greenlet_turns() as log:
            result = function(*arguments)
        counts.append(len(log))
        return result

    return call


WORK = pytest.mark.parametrize(("where", "name"), [(recall, "_rows"), (conversation, "history_of")])
CALL = {"type": "tool-records.query", "state": "output-available", "input": {}}


@WORK
def test_others_run_between_messages_with_large_results(app, alice, chat, monkeypatch, where, name):
    """Each of these messages takes more than ten milliseconds."""
    results = [{"number": number, "text": "word " * 10} for number in range(20_000)]
    parts = [{**CALL, "toolCallId": "c", "output": results}]
    fill(app, alice, chat, 20, role="assistant", parts=parts)
    counts = []
    monkeypatch.setattr(where, name, counting(getattr(where, name), counts))
    assert text_of(alice.turn(chat, "hello"))
    assert counts[0] >= 15


@WORK
def test_others_run_while_a_long_history_is_made_ready(app, alice, chat, monkeypatch, where, name):
    fill(app, alice, chat, COUNT)
    counts = []
    monkeypatch.setattr(where, name, counting(getattr(where, name), counts))
    assert text_of(alice.turn(chat, "hello"))
    assert counts[0] >= COUNT // STEP - 5


@pytest.mark.parametrize("count", [STEP - 1, STEP, STEP + 1, 2 * STEP])
def test_no_message_is_lost_between_the_pieces(app, alice, chat, count, monkeypatch):
    fill(app, alice, chat, count)
    made, make = [], conversation.history_of

    def noted(rows, *others):
        made.extend(rows)
        return make(made, *others)

    monkeypatch.setattr(conversation, "history_of", noted)
    alice.turn(chat, "hello")
    numbers = [row.seq for row in made]
    assert len(made) == count
    assert numbers == sorted(set(numbers))
