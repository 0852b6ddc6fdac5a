"""A chat, one of forty messages, and a scripted model."""

import pytest

from service.generation import model_call
from service.generation.deadline import Deadline
from tests.chat.long_chats import Model, fill


@pytest.fixture
def chat(alice):
    return alice.new_chat()


@pytest.fixture
def long_chat(app, alice, chat):
    fill(app, alice, chat, 40)
    return chat


@pytest.fixture
def short_silence(monkeypatch):
    """End a step whose model sends nothing for 0.3 s.

    A busy machine may stop the whole process for longer. What arrived meanwhile is read before the
    watchman looks again, so the limit counts only if it finds the same one exceeded twice.
    """
    limits = model_call.TimeLimits(first=60, idle=0.3, step=60)
    monkeypatch.setattr(model_call, "LIMITS", dict.fromkeys("ABC", limits))
    is_over, exceeded = Deadline.is_over, {}

    def is_over_twice(deadline, now):
        if not is_over(deadline, now):
            return False
        before, exceeded[deadline] = exceeded.get(deadline), deadline._at
        return before == deadline._at

    monkeypatch.setattr(Deadline, "is_over", is_over_twice)


@pytest.fixture
def model(served_by, monkeypatch):
    """In the place of all three providers; a busy one is asked again at once."""
    monkeypatch.setattr(model_call, "sleep", lambda seconds=0: None)
    return Model(served_by)
