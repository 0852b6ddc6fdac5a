"""Forecasts, current weather and places over Open-Meteo's API."""

import json

import pytest

from service.integrations.declare.example import File
from service.integrations.vendors.open_meteo.vendor import GEOCODING, OPEN_METEO, WEATHER
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

POINT = {"latitude": 52.52, "longitude": 13.42}


def example_answer(name):
    return json.loads(File(f"open_meteo/{name}.json").content())


BERLIN, FORECAST, CURRENT = (
    example_answer("berlin"),
    example_answer("forecast"),
    example_answer("current"),
)


def test_a_city_is_looked_up_first(ask, vendor):
    vendor.says(BERLIN, FORECAST)
    data = ask("weather-forecast", {"city": "Berlin", "days": 2}).json["data"]
    lookup, forecast = vendor.seen
    assert lookup.path == "/v1/search"
    assert lookup.query["name"] == ["Berlin"]
    assert lookup.query["count"] == ["1"]
    assert forecast.path == "/v1/forecast"
    assert forecast.query["latitude"] == ["52.52437"]
    assert forecast.query["forecast_days"] == ["2"]
    assert data["place"] == {
        "name": "Berlin", "country": "Germany", **POINT, "timezone": "Europe/Berlin"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("limit", "pause"),
    [("Minutely", "60"), ("Hourly", "3600"), ("Daily", "3600"), ("Some", "5"), (None, "5")],
)
def test_a_limit_says_when_to_come_again(ask, vendor, limit, pause):
    reason = f"{limit} API request limit exceeded." if limit else None
    vendor.says(Said({"error": True, "reason": reason}, 429))
    answer = ask("current-weather", POINT)
    assert (answer.status_code, answer.json["error"]) == (429, "rate_limited")
    assert answer.headers["Retry-After"] == pause


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("The supplied API key is invalid.", (502, "upstream_provider_error")),
        ("Latitude must be in range of -90 to 90°.", (400, "invalid_request")),
    ],
)
def test_a_wrong_key_is_no_fault_of_the_caller(ask, vendor, reason, outcome):
    vendor.says(Said({"error": True, "reason": reason}, 400))
    answer = ask("current-weather", POINT)
    assert (answer.status_code, answer.json["error"]) == outcome


def test_a_key_has_hosts_of_its_own(app):
    [known] = [one for one in app.extensions["proxy"].catalog.vendors if one is OPEN_METEO]
    hosts = {WEATHER: "api.open-meteo.com", GEOCODING: "geocoding-api.open-meteo.com"}
    key = {"OPEN_METEO_API_KEY": "k"}
    for name, host in hosts.items():
        assert known.base(name, {}) == f"https://{host}"
        assert known.base(name, key) == f"https://customer-{host}"
        assert known.base(name, {**key, name: "https://own.example"}) == "https://own.example"


def test_the_weather_needs_no_more_of_a_place_than_where_it_is(ask, vendor):
    place = {"name": "Berlin", "latitude": 52.52437, "longitude": 13.41053}
    vendor.says({"results": [place]}, CURRENT)
    data = ask("current-weather", {"city": "Berlin"}).json["data"]
    assert (data["place"]["name"], data["place"]["country"]) == ("Berlin", None)
    vendor.says({"results": [place]})
    assert ask("geocode-city", {"city": "Berlin"}).json["data"]["results"][0]["id"] is None


def test_coordinates_need_no_look_up(ask, vendor):
    vendor.says(CURRENT)
    data = ask("current-weather", POINT).json["data"]
    assert [asked.path for asked in vendor.seen] == ["/v1/forecast"]
    assert vendor.seen[0].query["longitude"] == ["13.42"]
    assert (data["place"]["name"], data["place"]["latitude"]) == (None, 52.52)
    assert data["current"]["temperature"] == 5.4
    assert (data["current"]["condition"], data["current"]["isDay"]) == ("Slight rain", True)
    assert data["units"] == {"temperature_2m": "°C", "wind_speed_10m": "km/h"}


def test_imperial_units_are_asked_for(ask, vendor):
    vendor.says(CURRENT)
    ask("current-weather", {**POINT, "units": "imperial"})
    ask("current-weather", POINT)
    units = ("temperature_unit", "wind_speed_unit", "precipitation_unit")
    imperial, metric = ([asked.query.get(unit) for unit in units] for asked in vendor.seen)
    assert imperial == [["fahrenheit"], ["mph"], ["inch"]]
    assert metric == [None, None, None]


def test_a_forecast_has_a_row_for_each_day(ask, vendor):
    daily = {**FORECAST["daily"], "weather_code": [61, 1234], "uv_index_max": [0.8, None]}
    vendor.says({**FORECAST, "daily": daily})
    first, second = ask("weather-forecast", POINT).json["data"]["days"]
    assert (first["date"], first["tempMax"], first["condition"]) == (
        "2026-11-21", 6.1, "Slight rain",
    )  # fmt: skip
    assert (second["date"], second["windMax"], second["uvIndexMax"]) == ("2026-11-22", 14.5, None)
    assert (second["weatherCode"], second["condition"]) == (1234, "Unknown")


@pytest.mark.parametrize(
    "column", [["2026-11-21T16:03"], None, "2026-11-21T16:03"], ids=["short", "null", "text"]
)
def test_a_column_of_another_shape_makes_a_forecast_unusable(ask, vendor, column):
    vendor.says({**FORECAST, "daily": {**FORECAST["daily"], "sunset": column}})
    answer = ask("weather-forecast", POINT)
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")


@pytest.mark.parametrize(
    "nothing", [{"generationtime_ms": 0.5}, {"results": []}, {"results": None}]
)
def test_an_unknown_city_is_not_found(ask, vendor, nothing):
    vendor.says(nothing)
    for endpoint in ("weather-forecast", "current-weather"):
        answer = ask(endpoint, {"city": "Nowhere"})
        assert (answer.status_code, answer.json["error"]) == (404, "not_found")
    assert ask("geocode-city", {"city": "Nowhere"}).json["data"] == {"results": []}


@pytest.mark.parametrize(
    "body",
    [{}, {"latitude": 1}, {"longitude": 1}, {"city": "Berlin", "latitude": 1},
     {"city": "Berlin", **POINT}],
)  # fmt: skip
def test_a_place_is_a_city_or_both_coordinates(ask, vendor, body):
    answer = ask("weather-forecast", body)
    assert (answer.status_code, list(answer.json["details"])) == (400, ["city"])
    assert vendor.seen == []


def test_a_coordinate_is_a_number_and_in_a_query_a_text_of_one(alice, ask, vendor):
    answer = ask("current-weather", {"latitude": "52.52", "longitude": 13.42})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["latitude"])
    vendor.says(example_answer("current"))
    assert alice.get("/api/integrations/current-weather", query_string=POINT).status_code == 200


def test_a_parameter_that_stands_twice_in_the_query_is_refused(alice, vendor):
    """Else the first of two cities would be ignored."""
    for query, name in (("city=Berlin&city=Paris", "city"), ("city=Berlin&days=1&days=1", "days")):
        refused = alice.get(f"/api/integrations/weather-forecast?{query}")
        assert (refused.status_code, refused.json["error"]) == (400, "invalid_request"), query
        assert refused.json["details"] == {name: ["Must be given once."]}, query
    assert vendor.seen == []


def test_places_come_with_what_is_known_of_them(ask, vendor):
    vendor.says(example_answer("places"))
    body = {"city": "Berlin", "countryCode": "DE", "language": "de"}
    first, second = ask("geocode-city", body).json["data"]["results"]
    assert (first["country"], first["district"]) == ("Germany", None)
    assert (second["region"], second["district"]) == ("New Hampshire", "Coos")
    query = vendor.seen[0].query
    assert (query["countryCode"], query["language"], query["count"]) == (["DE"], ["de"], ["100"])
    assert query["format"] == ["json"]


@pytest.mark.parametrize("place", [{"name": "a"}, {"id": 1, "latitude": "north"}, None])
def test_a_place_of_another_shape_is_not_left_out(ask, vendor, place):
    vendor.says(Said({"results": [*BERLIN["results"], place]}))
    answer = ask("geocode-city", {"city": "Berlin"})
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")


def test_a_coordinate_or_elevation_that_is_left_out_is_zero(ask, vendor):
    """Open-Meteo leaves out zeros, as Protocol Buffers do."""
    equator = {"id": 1, "longitude": 32.58, "elevation": 1150.0}
    meridian = {"id": 2, "latitude": 5.57}
    vendor.says({"results": [equator, meridian]})
    first, second = ask("geocode-city", {"city": "Kayabwe"}).json["data"]["results"]
    assert (first["latitude"], first["longitude"]) == (0, 32.58)
    assert (second["latitude"], second["longitude"]) == (5.57, 0)
    assert (first["elevation"], second["elevation"]) == (1150, 0)
    vendor.says({"results": [equator]}, CURRENT)
    assert ask("current-weather", {"city": "Kayabwe"}).status_code == 200
    assert vendor.seen[-1].query["latitude"] == ["0"]


PARIS = {"id": 1, "name": "Paris", "latitude": 48.85, "longitude": 2.35, "country": "France",
         "country_code": "FR", "admin1": "Île-de-France"}  # fmt: skip
TEXAS = {"id": 2, "name": "Paris", "latitude": 33.66, "longitude": -95.56,
         "country": "United States", "country_code": "US", "admin1": "Texas"}  # fmt: skip
LONDON = {"id": 3, "name": "London", "latitude": 51.5, "longitude": -0.1,
          "country": "United Kingdom", "country_code": "GB", "admin1": "England"}  # fmt: skip


@pytest.fixture
def gazetteer(vendor):
    """Knows places by their whole name. Leaves out other countries last, as Open-Meteo does."""
    known = (PARIS, TEXAS, LONDON)

    def answer(asked):
        if asked.path == "/v1/forecast":
            return Said(CURRENT)
        found = [one for one in known if [one["name"]] == asked.query["name"]]
        first = found[: int(asked.query["count"][0])]
        for code in asked.query.get("countryCode", []):
            first = [one for one in first if one["country_code"] == code]
        return Said({"results": first} if first else {})

    vendor.says(answer)


@pytest.mark.parametrize(
    ("city", "ids"),
    [
        ("Paris", [1, 2]),
        ("Paris, France", [1]),
        ("Paris,fr", [1]),
        ("Paris, Texas, USA", [2]),
        ("London, UK", [3]),
        ("London, England", [3]),
        ("Paris,", [1, 2]),
        ("Paris, Freedonia", []),
        ("Atlantis, Greece", []),
    ],
)
def test_a_city_may_be_named_with_where_it_is(ask, gazetteer, city, ids):
    results = ask("geocode-city", {"city": city}).json["data"]["results"]
    assert [one["id"] for one in results] == ids


def test_a_name_with_a_country_is_asked_for_alone_if_it_matches_nothing(ask, gazetteer, vendor):
    ask("geocode-city", {"city": "Paris, France", "count": 1, "countryCode": "fr"})
    asked = [(one.query["name"], one.query["count"]) for one in vendor.seen]
    assert asked == [(["Paris, France"], ["100"]), (["Paris"], ["100"])]
    assert {one.query["countryCode"][0] for one in vendor.seen} == {"FR"}


@pytest.mark.parametrize("code", ["US", "us"])
def test_a_country_is_searched_beyond_the_best_matches_of_a_name(ask, gazetteer, code):
    body = {"city": "Paris", "countryCode": code, "count": 1}
    results = ask("geocode-city", body).json["data"]["results"]
    assert [one["id"] for one in results] == [TEXAS["id"]]


def test_no_more_places_are_answered_than_asked_for(ask, vendor):
    vendor.says({"results": [PARIS, {**PARIS, "id": 4}]})
    for body in ({"city": "Paris, France"}, {"city": "Paris", "countryCode": "FR"}):
        results = ask("geocode-city", {**body, "count": 1}).json["data"]["results"]
        assert [one["id"] for one in results] == [PARIS["id"]], body


@pytest.mark.parametrize(("language", "known"), [("pt-BR", "pt"), ("en-GB", "en"), ("fr", "fr")])
def test_a_language_is_named_as_the_vendor_knows_it(ask, vendor, language, known):
    """Open-Meteo answers in English for any other name, such as `pt-BR`."""
    vendor.says(lambda asked: Said(CURRENT if asked.path == "/v1/forecast" else BERLIN))
    for endpoint in ("geocode-city", "current-weather"):
        ask(endpoint, {"city": "Berlin", "language": language})
    asked = [one.query["language"] for one in vendor.seen if one.path == "/v1/search"]
    assert asked == [[known], [known]]


def test_a_language_may_be_in_capitals(ask, vendor):
    vendor.says(BERLIN)
    ask("geocode-city", {"city": "Berlin", "language": "DE"})
    assert vendor.seen[0].query["language"] == ["de"]


def test_a_name_with_a_comma_that_is_known_is_asked_for_once(ask, vendor):
    vendor.says({"results": [{**PARIS, "name": "Paris, Old Town"}]})
    [found] = ask("geocode-city", {"city": "Paris, Old Town"}).json["data"]["results"]
    assert (found["name"], len(vendor.seen)) == ("Paris, Old Town", 1)


@pytest.mark.parametrize("endpoint", ["weather-forecast", "current-weather"])
def test_the_weather_of_a_city_that_is_not_found_says_how_to_name_one(ask, gazetteer, endpoint):
    answer = ask(endpoint, {"city": "Paris, Freedonia"})
    assert (answer.status_code, answer.json["error"]) == (404, "not_found")
    assert "Paris, France" in answer.json["message"]


def test_the_weather_is_that_of_the_country_which_is_named(ask, gazetteer, vendor):
    data = ask("current-weather", {"city": "Paris, Texas"}).json["data"]
    assert data["place"]["country"] == "United States"
    assert vendor.seen[-1].query["latitude"] == ["33.66"]


GERMAN = {"France": "Frankreich", "United States": "Vereinigte Staaten"}


@pytest.fixture
def translated(vendor):
    """Names countries in the language that is asked for, as Open-Meteo does."""

    def answer(asked):
        if asked.path == "/v1/forecast":
            return Said(CURRENT)
        names = GERMAN if asked.query["language"] == ["de"] else {}
        found = [
            {**one, "country": names.get(one["country"], one["country"])}
            for one in (PARIS, TEXAS)
            if [one["name"]] == asked.query["name"]
        ]
        return Said({"results": found} if found else {})

    vendor.says(answer)


@pytest.mark.parametrize(
    ("city", "ids"),
    [
        ("Paris, France", [1]),
        ("Paris, Frankreich", [1]),
        ("Paris, Texas, Vereinigte Staaten", [2]),
        ("Paris, Freedonia", []),
    ],
)
def test_where_a_city_is_may_be_named_in_english_too(ask, translated, city, ids):
    results = ask("geocode-city", {"city": city, "language": "de"}).json["data"]["results"]
    assert [one["id"] for one in results] == ids
    assert {one["country"] for one in results} <= set(GERMAN.values())


def test_the_weather_is_found_by_an_english_country_in_another_language(ask, translated):
    data = ask("current-weather", {"city": "Paris, France", "language": "de"}).json["data"]
    assert data["place"]["country"] == "Frankreich"
