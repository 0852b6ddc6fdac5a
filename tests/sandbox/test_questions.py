"""Questions about the world, asked of the sandbox's assistant in real turns."""

import json

import pytest

from service.sandbox.assistant import AssistantInput, reply
from tests.people import text_of
from tests.services import on_sqlite

SAID = {
    "What is the weather in Berlin?": "In Berlin it is 5.4 °C now, slight rain.",
    "How’s the weather like in Berlin today?": "In Berlin it is 5.4 °C now",
    "Show the forecast for Berlin": "Berlin: 2026-11-21 slight rain, 1.2 to 6.1 °C; 2026-11-22",
    "where is Berlin?": "I found Berlin in Germany (52.52, 13.41); Berlin in United States",
    "any news about comets?": "- [A comet returns](https://www.bbc.example/news/1)",
    "Which endpoints are there for weather?": "current-weather, weather-forecast",
}


@on_sqlite
@pytest.mark.parametrize("text", SAID)
def test_a_question_is_answered_by_an_endpoint(alice, text):
    told = text_of(alice.turn(alice.new_chat(), text))
    assert SAID[text] in told
    assert "integrations.call" not in told


@on_sqlite
def test_a_stand_ins_other_example_is_called_one(alice):
    chat = alice.new_chat()
    other = text_of(alice.turn(chat, "what is the weather in São Paulo?"))
    assert "In Berlin it is" in other
    assert "You asked for São Paulo: a stand-in answers everything with one example." in other
    assert "stand-in" not in text_of(alice.turn(chat, "what is the weather in berlin?"))


CALL = frozenset({"integrations.call"})
REFUSED = "The user did not allow this call."


def asked(text, *results):
    told = tuple(("integrations.call", result) for result in results)
    return reply(AssistantInput(text, results=told, tools=CALL))


def test_a_picture_is_waited_for_and_may_be_refused():
    [(_, given)] = asked("Draw me a lighthouse").calls
    assert given["endpoint"] == "generate-image"
    assert given["body"] == {"prompt": "a lighthouse", "wait": 20}
    done = {"status": "done", "result": {"images": [{"url": "https://x.example/1.png"}]}}
    assert "https://x.example/1.png" in asked("draw a lighthouse", json.dumps(done)).text
    assert asked("draw a lighthouse", REFUSED).text == f"integrations.call said: {REFUSED}"
    running = json.dumps({"status": "running", "jobId": "job_1"})
    assert running in asked("draw a lighthouse", running).text


def test_the_web_is_searched_for_what_was_named():
    [(_, given)] = asked("Search the web for the size of Jupiter.").calls
    assert given == {"endpoint": "search-web", "body": {"query": "the size of Jupiter"}}
    answer = json.dumps({"answer": "The size of Jupiter is 142,984 km."})
    assert asked("search the web for the size of Jupiter", answer).text == (
        "The size of Jupiter is 142,984 km."
    )


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("add a task: paint the fence", ["records.create"]),
        ("mark paint the fence as done", ["records.query"]),
        ("remember that the news of today is good", []),
        ("repeat after me: where is Berlin?", []),
        ("repeat after me: add three tasks", []),
        ('repeat after me: call records.query with {"collection": "notes"}', []),
    ],
)
def test_what_is_kept_or_repeated_is_no_question(text, calls):
    tools = CALL | {"records.create", "records.query"}
    assert [name for name, _ in reply(AssistantInput(text, tools=tools)).calls] == calls


def test_the_web_is_searched_for_a_question_too():
    [(_, given)] = asked("search the web for where is Berlin").calls
    assert given["endpoint"] == "search-web"
