"""Numbers in a query string have JSON's form, not all the forms that Python parses."""

import pytest

from tests.services import on_sqlite

pytestmark = on_sqlite
NO_NUMBERS = ["1_0", " 10", "10 ", "+10", "\u0661\u0660", "1e1", "0x10", "10.0", ""]
PLACES = [
    ("/api/records/notes", "limit"),
    ("/api/credits", "limit"),
    ("/api/ai/journal", "limit"),
    ("/api/ai/journal", "cursor"),
    ("/api/integrations/geocode-city", "count"),
]


@pytest.mark.parametrize(("path", "name"), PLACES)
def test_an_integer_consists_of_digits(alice, path, name):
    more = {"city": "Berlin"} if name == "count" else {}
    assert alice.get(path, query_string={**more, name: "10"}).status_code == 200
    for text in NO_NUMBERS:
        answer = alice.get(path, query_string={**more, name: text})
        assert (answer.status_code, list(answer.json["details"])) == (400, [name]), text


@pytest.mark.parametrize("text", ["1_0", " 10", "\u0661", "nan", "inf", "1e999"])
def test_a_number_has_the_form_of_json(alice, text):
    path = "/api/integrations/current-weather"
    query = {"latitude": text, "longitude": 13}
    for answer in (alice.get(path, query_string=query), alice.post(path, query)):
        assert (answer.status_code, list(answer.json["details"])) == (400, ["latitude"])
    assert alice.get(f"{path}?latitude=-52.5&longitude=1.3e1").status_code == 200
