"""Numbers in a query string are digits, as JSON writes them: nothing else that Python reads."""

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
def test_a_whole_number_is_written_in_digits(alice, path, name):
    more = {"city": "Berlin"} if name == "count" else {}
    assert alice.get(path, query_string={**more, name: "10"}).status_code == 200
    for text in NO_NUMBERS:
        answer = alice.get(path, query_string={**more, name: text})
        assert (answer.status_code, list(answer.json["details"])) == (400, [name]), text


@pytest.mark.parametrize("text", ["1_0", " 10", "\u0661", "nan", "inf", "1e999"])
def test_a_number_is_one_that_json_has(alice, text):
    path = "/api/integrations/current-weather"
    asked = {"latitude": text, "longitude": 13}
    for answer in (alice.get(path, query_string=asked), alice.post(path, asked)):
        assert (answer.status_code, list(answer.json["details"])) == (400, ["latitude"])
    assert alice.get(f"{path}?latitude=-52.5&longitude=1.3e1").status_code == 200
