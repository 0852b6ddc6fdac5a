"""What the sandbox writes for endpoints that ask a model."""

import pytest

from service.sandbox.assistant import AssistantInput, reply
from tests.services import on_sqlite

PROFILE = {"profileUrl": "linkedin.com/in/ada", "name": "Ada", "title": "Engineer"}
PURPOSE = "May I have the data?"


def data_of(person, name, body):
    answer = person.post(f"/api/integrations/{name}", body)
    assert answer.status_code == 200, answer.json
    return answer.json["data"]


@on_sqlite
def test_a_summary_has_a_point_for_each_paper(alice):
    data = data_of(alice, "scholar-summarize-papers", {"query": "graphs"})
    assert data["summary"].endswith("organizing published literature [1].")


@on_sqlite
def test_a_letter_names_its_paper_and_its_reader(alice):
    body = {"paperTitle": "Construction of the Literature Graph", "purpose": PURPOSE}
    data = data_of(alice, "scholar-draft-email", body)
    assert data["body"].startswith(f"Dear {data['recipient']['name']},")
    assert data["subject"] == data["paper"]["title"]
    assert PURPOSE in data["body"]


@on_sqlite
def test_a_profile_at_any_address_is_judged(alice):
    profiles = ["https://www.linkedin.com/in/somebody", PROFILE]
    body = {"profiles": profiles, "goal": "A founder for Lisbon"}
    data = data_of(alice, "profnet-analyze-profiles", body)
    assert data["notFound"] == []
    for one in data["analyses"]:
        assert one["score"] == 60
        assert one["summary"].endswith("A founder for Lisbon")


@on_sqlite
def test_a_message_is_written_to_the_person(alice):
    body = {"profiles": [PROFILE], "purpose": PURPOSE}
    (message,) = data_of(alice, "profnet-generate-messages", body)["messages"]
    assert message["body"] == f"Hello Ada,\n\n{PURPOSE}"


@pytest.mark.parametrize("text", ["[1]", '{"papers": 5}', '{"papers": ["a"]}', "{"])
def test_other_data_is_ordinary_text(text):
    assert reply(AssistantInput(text)).text.startswith("I am the sandbox's assistant")


def test_with_tools_it_is_a_chat():
    text = '{"profile": {}, "purpose": "describe notes"}'
    asked = AssistantInput(text, tools=frozenset({"schema.describe"}))
    assert reply(asked).calls == (("schema.describe", {"collection": "notes"}),)
