"""A chat, one of forty messages, and a scripted model."""

import pytest

from service.generation import model_call
from tests.chat.long_chats import Model, fill


@pytest.fixture
def chat(alice):
    return alice.new_chat()


@pytest.fixture
def long_chat(app, alice, chat):
    fill(app, alice, chat, 40)
    return chat


@pytest.fixture
def model(served_by, monkeypatch):
    """In the place of all three providers; a busy one is asked again at once."""
    monkeypatch.setattr(model_call, "sleep", lambda seconds=0: None)
    return Model(served_by)
