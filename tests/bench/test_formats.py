"""What the benchmark's upstream sends, as the service decodes it."""

import pytest

from bench import wire
from bench.upstream import formats
from service.providers.events import StepFinished, TextFragment
from service.providers.names import NameTable
from service.providers.sse import ServerSentEvent
from service.providers.wires import anthropic_messages, openai_chat

KINDS = {
    "anthropic": (formats.ANTHROPIC, anthropic_messages.WIRE),
    "openai": (formats.OPENAI, openai_chat.WIRE),
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def decoded(answer: bytes, wire_of_service):
    body = wire.Chunked()
    text = body.feed(answer.partition(b"\r\n\r\n")[2])
    assert body.ended
    decoder = wire_of_service.decoder(NameTable(["user.current"]))
    events = []
    for block in text.split(b"\n\n")[:-1]:
        data = block.rpartition(b"data: ")[2]
        events += decoder.feed(ServerSentEvent("", data))
    return events


def test_a_reply_has_its_tokens_and_an_end(kind):
    sent, wire_of_service = kind
    delta = wire.chunk((sent.delta % wire.token(0, 36)).encode())
    *_, fragment, end = decoded(sent.begin + delta + sent.end(1), wire_of_service)
    assert fragment == TextFragment("0.10\n")
    assert isinstance(end, StepFinished)
    assert (end.reason, end.usage.output) == ("stop", 1)


def test_a_call_is_one_of_the_current_user(kind):
    sent, wire_of_service = kind
    *_, end = decoded(sent.call(0), wire_of_service)
    assert isinstance(end, StepFinished)
    assert [(call.name, call.arguments) for call in end.calls] == [("user.current", "{}")]


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/v1/messages", formats.ANTHROPIC), ("/v1/chat/completions", formats.OPENAI)],
)
def test_the_format_is_that_of_the_path(path, expected):
    assert formats.format_of(f"POST {path} HTTP/1.1".encode()) is expected


def test_a_question_says_where_it_ends():
    first, second = wire.question(8, 100), wire.question(9, 2.5, burst=4, steps=5)
    asked = wire.read_question(f"{first} {second} rest".encode())
    assert (asked.tokens, asked.rate, asked.burst, asked.steps) == (9, 2.5, 4, 5)
    assert asked.end == len(f"{first} {second}")
