"""Answers of a model that call endpoints, and the user's decision about a call."""

from typing import Any

from tests import model_streams
from tests.upstream import Answer

DONE = Answer(model_streams.anthropic("done"))


def call(endpoint: str, **body: Any) -> Answer:
    """A model's answer that calls an endpoint."""
    given = {"endpoint": endpoint, "body": body}
    return Answer(model_streams.anthropic_call("integrations__call", given))


def cards(chunks):
    """The calls that the user was asked about, in each of their states."""
    return [one["data"] for one in chunks if one["type"] == "data-approval"]


def decide(person, chat, part, decision):
    """Decide about the call that a `data-approval` part asks for."""
    path = f"/api/ai/chat/{chat}/approvals/{part['toolCallId']}"
    return person.post(path, {"decision": decision})


def allow(alice, chat, part, decision="once"):
    assert decide(alice, chat, part, decision).status_code == 200
