"""What a client is told about the templates of widgets."""

import pytest

from config import load
from service import create_app
from tests.services import ENVIRONMENT, on_sqlite
from tests.widgets.manifests import SLOT

pytestmark = on_sqlite


def listed(person):
    answer = person.get("/api/widgets/templates")
    assert answer.status_code == 200
    return {template["handle"]: template for template in answer.json["templates"]}


def test_templates_are_listed_for_those_with_a_token(client, alice):
    assert client.get("/api/widgets/templates").status_code == 401
    note = listed(alice)["note"]
    assert (note["name"], note["icon"], note["standalone"]) == (
        "Note",
        "/w/note/files/icon.svg",
        True,
    )
    assert note["size"] == {"width": 280, "height": 220}
    assert {slot["id"]: slot["direction"] for slot in note["slots"]} == {
        "text": "output",
        "fill": "input",
    }


def test_a_template_says_what_each_of_its_calls_costs_and_whether_it_asks(alice, given):
    names = ["current-weather", "neuralsearch-answer", "no-such-endpoint"]
    given(endpoints=names)
    catalog = {one["name"]: one for one in alice.get("/api/integrations/catalog").json["endpoints"]}
    free, paid, unknown = listed(alice)["map"]["endpoints"]
    assert (free["approval"], free["credits"], free["known"]) == ("auto", 0, True)
    assert paid["approval"] == "ask"
    assert paid["credits"] == catalog["neuralsearch-answer"]["credits"] > 0
    assert paid["title"] == catalog["neuralsearch-answer"]["summary"]
    assert paid["configured"] is True
    assert (unknown["known"], unknown["approval"]) == (False, "ask")
    assert unknown["configured"] is False


def test_a_price_that_is_measured_is_told_from_a_fixed_one(alice, given):
    given(endpoints=["generate-image-llm", "current-weather"])
    measured, fixed = listed(alice)["map"]["endpoints"]
    assert (measured["metered"], fixed["metered"]) == (True, False)


def test_a_slot_says_only_what_its_manifest_says(alice, given):
    schema = {"type": "object", "required": ["lat"]}
    slots = [{**SLOT, "schema": schema, "maxConnections": 3, "persist": True}, {**SLOT, "id": "b"}]
    given(slots=slots)
    first, second = listed(alice)["map"]["slots"]
    assert first == {**SLOT, "schema": schema, "maxConnections": 3, "persist": True}
    assert second == {**SLOT, "id": "b", "persist": False}


def test_an_icon_in_the_folder_is_told_as_its_path(client, alice, folder, given):
    place = folder({})
    (place / "icon.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    given(icon="icon.svg")
    path = listed(alice)["map"]["icon"]
    assert path == "/w/map/files/icon.svg"
    assert client.get(path).content_type == "image/svg+xml; charset=utf-8"


def test_the_developers_page_is_told_the_same_without_a_token(client, alice):
    assert client.get("/dev/widget/note/manifest.json").json == listed(alice)["note"]


def test_the_developers_page_is_only_in_the_sandbox(database_url):
    app = create_app(load({**ENVIRONMENT, "DATABASE_URL": database_url, "SANDBOX": ""}))
    client = app.test_client()
    assert client.get("/dev/widget/note").status_code == 404
    assert client.get("/dev/widget/note/manifest.json").status_code == 404
    assert client.get("/w/note").status_code == 200
    assert "X-Sandbox" not in client.get("/w/note").headers


@pytest.mark.settings(extensions="tests.widgets.declared_template")
def test_a_template_of_an_extension_is_served_as_our_own(client, alice):
    assert listed(alice)["counter"]["name"] == "Counter"
    assert client.get("/w/counter/files/widget.js").status_code == 200
