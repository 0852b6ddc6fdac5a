"""New connections are accepted while the requests of earlier ones are handled."""

import json
import os
import signal
from datetime import datetime, timedelta

import pytest

from tests import model_streams
from tests.faults.client import client_of
from tests.services import Service, wait_for
from tests.upstream import Answer


@pytest.fixture
def service(databases, upstream):
    upstream.answers = [Answer(model_streams.anthropic("hello"))]
    provider = {"PROVIDER_A_BASE_URL": upstream.url, "PROVIDER_A_API_KEY": "key"}
    with Service(databases.make("sqlite"), **provider) as running:
        yield running.start()


def test_the_first_of_many_replies_ends_before_the_last_request_is_let_in(service):
    client = client_of(service)
    chats = [client.new_chat() for _ in range(100)]
    os.kill(service.worker, signal.SIGSTOP)
    asked = [client.ask(chat, "hello", chat) for chat in chats]
    os.kill(service.worker, signal.SIGCONT)
    assert [turn.chunks[-1]["type"] for turn in asked] == ["finish"] * len(asked)
    wait_for(lambda: len(answered(service, "/api/ai/chat")) == len(asked))  # behind its last byte
    times = answered(service, "/api/ai/chat")
    assert min(end for _, end in times) < max(begin for begin, _ in times)


def answered(service, route):
    """When the requests of a route began and ended, by the service's own clock."""
    lines = [json.loads(line) for line in service.log.read_text().splitlines() if line[:1] == "{"]
    ends = [line for line in lines if line["event"] == "answered" and line["route"] == route]
    moments = [datetime.fromisoformat(line["timestamp"]) for line in ends]
    durations = [timedelta(milliseconds=line["ms"]) for line in ends]
    return [(end - took, end) for end, took in zip(moments, durations, strict=True)]
