"""The names that a wrong one may mean."""

import pytest

from service.name_suggestions import near_names
from tests.call_counts import count_calls
from tests.services import on_sqlite

pytestmark = on_sqlite

SPELT = {
    "weather": ["current-weather", "weather-forecast"],
    "wheather": ["current-weather", "weather-forecast"],
    "wether-forcast": ["weather-forecast"],
    "weather/forecast": ["weather-forecast"],
    "generate-txt": ["generate-text"],
    "generateText": ["generate-text"],
    "GENERATE_TEXT": ["generate-text"],
    "send-mail": ["send-email", "cloudsuite/mail-send"],
    "sendmail": ["send-email"],
    "cloudsuite/mail-sned": ["cloudsuite/mail-send"],
    "flihgts": ["flights"],
    "football/team": ["football/teams"],
    "stock": ["search-stocks"],
    "get-current-weather": ["current-weather"],
    "search-flights": ["flights"],
    "image-search": ["search-images"],
}
FAR = [
    "translate",
    "youtube-search",
    "slack-send",
    "no-such-endpoint",
    "tts",
    "x",
    "???",
    "",
    "y" * 999,
]


@pytest.fixture
def names(app):
    return app.extensions["catalog"].names


@pytest.mark.parametrize(("asked", "first"), SPELT.items())
def test_a_name_that_may_be_meant_is_near(names, asked, first):
    assert near_names(asked, names)[: len(first)] == first


@pytest.mark.parametrize("asked", FAR)
def test_a_name_far_from_all_others_has_no_suggestion(names, asked):
    assert near_names(asked, names) == []


def test_a_word_that_many_names_contain_suggests_the_shortest(names):
    near = near_names("football", names)
    assert len(near) == 3
    assert all(name.startswith("football/") for name in near)


@pytest.mark.parametrize("asked", ["racing-" * 99, "z-" * 999, "search" * 99, "aeiou stndr " * 8])
def test_a_long_name_costs_no_more_than_its_beginning_or_eight_words(names, asked):
    near_names("x", names)
    begins, eight = asked[:100], "search-weather-list-get-find-news-image-data"
    whole, beginning, of_eight = (
        count_calls(lambda name=name: near_names(name, names)) for name in (asked, begins, eight)
    )
    assert whole < 1.1 * min(beginning, of_eight)


def test_an_unknown_endpoint_that_is_far_from_all_has_no_nearest_name(alice):
    refused = alice.post("/api/integrations/translate", {})
    assert (refused.json["error"], refused.json["nearest"]) == ("unknown_endpoint", [])
    assert alice.post("/api/integrations/web-search", {}).json["nearest"] == [
        "advanced-web-search",
        "search-web",
        "search-web-ai",
    ]
