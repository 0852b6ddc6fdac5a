"""Numbers in a query string are digits, as JSON writes them: nothing else that Python reads."""

import pytest

from tests.services import on_sqlite

pytestmark = on_sqlite
NO_NUMBERS = ["1_0", " 10", "10 ", "+10", "\u0661\u0660", "1e1", "0x10", "10.0", ""]
PATHS = [
    "/api/records/notes?limit=",
    "/api/credits?limit=",
    "/api/ai/journal?limit=",
    "/api/ai/journal?cursor=",
    "/api/integrations/geocode-city?city=Berlin&count=",
]


@pytest.mark.parametrize("path", PATHS)
def test_a_whole_number_is_written_in_digits(alice, path):
    name = path.rpartition("?")[2].rpartition("&")[2].removesuffix("=")
    assert alice.get(f"{path}10").status_code == 200
    for text in NO_NUMBERS:
        answer = alice.get(
            path.removesuffix(f"{name}="), query_string=query_of(path) | {name: text}
        )
        assert (answer.status_code, list(answer.json["details"])) == (400, [name]), text


@pytest.mark.parametrize("text", ["1_0", " 10", "\u0661", "nan", "inf", "1e999"])
def test_a_number_is_one_that_json_has(alice, text):
    path = "/api/integrations/current-weather"
    for asked in (alice.get(path, query_string={"latitude": text, "longitude": 13}),
                  alice.post(path, {"latitude": text, "longitude": 13})):  # fmt: skip
        assert (asked.status_code, list(asked.json["details"])) == (400, ["latitude"])
    assert alice.get(f"{path}?latitude=-52.5&longitude=1.3e1").status_code == 200


def query_of(path: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in path.partition("?")[2].split("&"))
