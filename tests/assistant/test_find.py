"""The assistant finds the endpoint that does what its user wants."""

import pytest

from service.assistant.calls import MOST_TOOLS, find_endpoints, tools
from service.assistant.find import rank
from service.assistant.shaping import shape
from service.integrations import everything

CATALOG = everything.catalog([], [])
READS = {"geocode-city": True, "cloudsuite/mail-send": False, "no-such-endpoint": False}


@pytest.mark.parametrize(
    ("query", "endpoint"),
    [
        ("send a mail", "cloudsuite/mail-send"),
        ("weather forecast for tomorrow", "weather-forecast"),
        ("create an event in the calendar", "calendar-create-events"),
        ("find a restaurant: places near me", "search-places"),
        ("generate a picture", "generate-image"),
        ("latest news", "news-search"),
        ("arrivals of the subway", "transit-subway-arrivals"),
        ("list my contacts", "cloudsuite/contacts-list"),
        ("nba basketball games", "basketball/games"),
    ],
)
def test_the_first_three_have_the_right_one(query, endpoint):
    assert endpoint in [item.name for item in rank(CATALOG, query)[:3]]


def test_unknown_words_find_nothing(alice):
    assert rank(CATALOG, "xyzzy") == []


def test_every_endpoint_is_found_by_its_own_name():
    for item in CATALOG:
        words = item.name.replace("/", " ").replace("-", " ")
        assert item in rank(CATALOG, words)[:12], item.name


def test_endpoints_become_tools_by_name_alias_and_category():
    names = [
        item.name for item in find_endpoints(CATALOG, ["send-email", "science", "weather-forecast"])
    ]
    assert "cloudsuite/mail-send" in names
    assert names.count("weather-forecast") == 1


@pytest.mark.parametrize(("name", "why"), [("all", "integrations.find"), ("nothing", "neither")])
def test_what_no_model_takes_is_refused(name, why):
    with pytest.raises(ValueError, match=why):
        tools(CATALOG, [name])


def test_a_call_reads_if_its_endpoint_does():
    call = next(tool for tool in tools(CATALOG, []) if tool.name == "integrations.call")
    reads = {name: call.is_read({"endpoint": name, "body": {}}) for name in READS}
    assert reads == READS
    assert not call.reads


def test_a_tool_of_an_endpoint_has_its_schema_and_says_what_it_asks():
    tool = tools(CATALOG, ["cloudsuite/mail-send"])[-1]
    assert tool.name == "cloudsuite.mail-send"
    assert "subject" in tool.spec.schema["properties"]
    assert "asked first" in tool.description
    assert MOST_TOOLS == 40


def test_a_model_reads_no_encoded_files():
    answer = {"name": "a.pdf", "files": [{"content": "QUJD" * 1000}], "text": "long " * 1000}
    told = shape(answer)
    assert told["files"] == [{"content": "[3000 bytes of a file, left out here]"}]
    assert told["text"] == answer["text"]


def test_half_a_character_of_an_answer_becomes_the_replacement_character():
    assert shape({"a\ud83d": ["🚢\udea2", 1, None]}) == {"a\ufffd": ["🚢\ufffd", 1, None]}
