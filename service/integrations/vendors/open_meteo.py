"""Open-Meteo: forecasts, current weather, and the places to ask them for.

Source: open-meteo.com/en/docs and /en/docs/geocoding-api. The free host is for non-commercial use;
with a key the customer's host is asked.
"""

from typing import Any

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from service.errors import NotFound
from service.fields import Number, Text
from service.integrations.call import Call
from service.integrations.catalog import ApiKey, Example, Vendor, endpoint
from service.integrations.shape import as_object, at, listed, need, number, picked, unusable

OPEN_METEO = Vendor(
    integration="weather",
    name="open-meteo",
    base_urls={
        "OPEN_METEO_BASE_URL": "https://api.open-meteo.com",
        "OPEN_METEO_GEOCODING_BASE_URL": "https://geocoding-api.open-meteo.com",
    },
    key=ApiKey("OPEN_METEO_API_KEY", "query:apikey", required=False),
    with_key={
        "OPEN_METEO_BASE_URL": "https://customer-api.open-meteo.com",
        "OPEN_METEO_GEOCODING_BASE_URL": "https://customer-geocoding-api.open-meteo.com",
    },
)
GEOCODING = "OPEN_METEO_GEOCODING_BASE_URL"

IMPERIAL = {
    "temperature_unit": "fahrenheit",
    "wind_speed_unit": "mph",
    "precipitation_unit": "inch",
}
# WMO code table 4677, as Open-Meteo uses it
CONDITIONS = {
    0: "Clear sky", 1: "Mainly clear", 2: "Partly cloudy", 3: "Overcast",
    45: "Fog", 48: "Depositing rime fog",
    51: "Light drizzle", 53: "Moderate drizzle", 55: "Dense drizzle",
    56: "Light freezing drizzle", 57: "Dense freezing drizzle",
    61: "Slight rain", 63: "Moderate rain", 65: "Heavy rain",
    66: "Light freezing rain", 67: "Heavy freezing rain",
    71: "Slight snowfall", 73: "Moderate snowfall", 75: "Heavy snowfall", 77: "Snow grains",
    80: "Slight rain showers", 81: "Moderate rain showers", 82: "Violent rain showers",
    85: "Slight snow showers", 86: "Heavy snow showers",
    95: "Thunderstorm", 96: "Thunderstorm with slight hail", 99: "Thunderstorm with heavy hail",
}  # fmt: skip
DAILY = {
    "weatherCode": "weather_code",
    "tempMax": "temperature_2m_max",
    "tempMin": "temperature_2m_min",
    "precipitation": "precipitation_sum",
    "precipitationProbability": "precipitation_probability_max",
    "windMax": "wind_speed_10m_max",
    "sunrise": "sunrise",
    "sunset": "sunset",
    "uvIndexMax": "uv_index_max",
}
CURRENT = {
    "temperature": "temperature_2m",
    "feelsLike": "apparent_temperature",
    "humidity": "relative_humidity_2m",
    "precipitation": "precipitation",
    "weatherCode": "weather_code",
    "cloudCover": "cloud_cover",
    "pressure": "pressure_msl",
    "windSpeed": "wind_speed_10m",
    "windDirection": "wind_direction_10m",
    "windGusts": "wind_gusts_10m",
}
PLACE = {
    "id": "id",
    "name": "name",
    "latitude": "latitude",
    "longitude": "longitude",
    "country": "country",
    "countryCode": "country_code",
    "region": "admin1",
    "district": "admin2",
    "timezone": "timezone",
    "population": "population",
    "elevation": "elevation",
}


COORDINATES = ("latitude", "longitude")
NAMED = {"name": "name", "country": "country"}


class Place(Schema):
    city = Text(validate=validate.Length(2, 100))
    latitude = Number(validate=validate.Range(-90, 90))
    longitude = Number(validate=validate.Range(-180, 180))
    units = fields.String(load_default="metric", validate=validate.OneOf(["metric", "imperial"]))
    language = Text(load_default="en", validate=validate.Regexp(r"^[a-z]{2}(-[A-Za-z]{2,4})?$"))

    @validates_schema
    def one_place(self, data: dict[str, Any], **kwargs: Any) -> None:
        point = [name in data for name in ("latitude", "longitude")]
        if ("city" in data) == any(point) or any(point) != all(point):
            raise ValidationError("Give either a city, or latitude and longitude.", "city")


class Forecast(Place):
    days = fields.Integer(load_default=5, strict=True, validate=validate.Range(1, 5))


class City(Schema):
    city = Text(required=True, validate=validate.Length(2, 100))
    count = fields.Integer(load_default=5, strict=True, validate=validate.Range(1, 100))
    language = Text(load_default="en", validate=validate.Length(2, 5))
    countryCode = Text(validate=validate.Regexp("^[A-Za-z]{2}$"))


BERLIN = {
    "id": 2950159, "name": "Berlin", "latitude": 52.52437, "longitude": 13.41053,
    "elevation": 74.0, "feature_code": "PPLC", "country_code": "DE", "country": "Germany",
    "admin1": "State of Berlin", "timezone": "Europe/Berlin", "population": 3426354,
}  # fmt: skip
FOUND = Example("GET", "/v1/search", {"results": [BERLIN], "generationtime_ms": 0.5})
POINT = {"latitude": 52.52, "longitude": 13.42, "timezone": "Europe/Berlin"}
WEATHER = Example(
    "GET",
    "/v1/forecast",
    {
        **POINT,
        "daily_units": {"temperature_2m_max": "°C", "precipitation_sum": "mm"},
        "daily": {
            "time": ["2026-11-21", "2026-11-22"],
            "weather_code": [61, 3],
            "temperature_2m_max": [6.1, 4.9],
            "temperature_2m_min": [1.2, 0.3],
            "precipitation_sum": [2.4, 0.0],
            "precipitation_probability_max": [80, 10],
            "wind_speed_10m_max": [21.0, 14.5],
            "sunrise": ["2026-11-21T07:34", "2026-11-22T07:36"],
            "sunset": ["2026-11-21T16:03", "2026-11-22T16:02"],
            "uv_index_max": [0.8, 0.9],
        },
        "current_units": {"temperature_2m": "°C", "wind_speed_10m": "km/h"},
        "current": {
            "time": "2026-11-21T12:00",
            "temperature_2m": 5.4,
            "apparent_temperature": 2.1,
            "relative_humidity_2m": 87,
            "is_day": 1,
            "precipitation": 0.2,
            "weather_code": 61,
            "cloud_cover": 96,
            "pressure_msl": 1009.3,
            "wind_speed_10m": 17.6,
            "wind_direction_10m": 245,
            "wind_gusts_10m": 34.9,
        },
    },
)


@endpoint(
    "weather-forecast", OPEN_METEO, Forecast(), "science",
    "https://open-meteo.com/en/docs",
    examples=(FOUND, WEATHER), reads=True, auto_approve=True, seconds=20,
)  # fmt: skip
def forecast(call: Call, days: int, units: str, **place: Any) -> dict[str, Any]:
    """Weather day by day, for at most five days."""
    here = _place(call, **place)
    asked = {"forecast_days": days, "daily": ",".join(DAILY.values())}
    answer = _ask(call, here, units, asked)
    columns = {ours: _column(answer, theirs) for ours, theirs in [("date", "time"), *DAILY.items()]}
    if {len(column) for column in columns.values()} != {len(columns["date"])}:
        raise unusable()
    return {
        "place": _described(here, answer),
        "units": at(answer, "daily_units") or {},
        "days": [
            _weather(dict(zip(columns, day, strict=True)))
            for day in zip(*columns.values(), strict=True)
        ],
    }


@endpoint(
    "current-weather", OPEN_METEO, Place(), "science",
    "https://open-meteo.com/en/docs",
    examples=(FOUND, WEATHER), reads=True, auto_approve=True, seconds=20,
)  # fmt: skip
def current(call: Call, units: str, **place: Any) -> dict[str, Any]:
    """The weather now."""
    here = _place(call, **place)
    answer = _ask(call, here, units, {"current": ",".join([*CURRENT.values(), "is_day"])})
    now = need(answer, "current")
    weather = _weather({name: need(now, theirs) for name, theirs in CURRENT.items()})
    return {
        "place": _described(here, answer),
        "units": at(answer, "current_units") or {},
        "current": {"time": need(now, "time"), **weather, "isDay": need(now, "is_day") == 1},
    }


@endpoint(
    "geocode-city", OPEN_METEO, City(), "science",
    "https://open-meteo.com/en/docs/geocoding-api",
    examples=(FOUND,), reads=True, auto_approve=True, seconds=20,
)  # fmt: skip
def geocode(call: Call, city: str, countryCode: str | None = None, **asked: Any) -> dict[str, Any]:  # noqa: N803
    """Places of a name, with their coordinates."""
    query = {"name": city, "countryCode": countryCode, "format": "json", **asked}
    found = listed(at(as_object(call.get("/v1/search", query, GEOCODING)), "results") or [])
    return {"results": [picked(place, PLACE) for place in found]}


def _place(call: Call, language: str, city: str | None = None, **point: float) -> dict[str, Any]:
    """The first place of that name, or the given point. Raises `NotFound`."""
    if city is None:
        return dict(point)
    query = {"name": city, "count": 1, "language": language, "format": "json"}
    answer = as_object(call.get("/v1/search", query, GEOCODING))
    found = listed(at(answer, "results") or [])
    if not found:
        raise NotFound("There is no city of that name.")
    return {name: number(found[0], name) for name in COORDINATES} | picked(found[0], NAMED)


def _ask(call: Call, here: dict[str, Any], units: str, asked: dict[str, Any]) -> Any:
    point = {"latitude": here["latitude"], "longitude": here["longitude"], "timezone": "auto"}
    return call.get("/v1/forecast", {**point, **asked, **(IMPERIAL if units == "imperial" else {})})


def _column(answer: Any, name: str) -> list[Any]:
    return listed(need(answer, f"daily.{name}"))


def _described(here: dict[str, Any], answer: Any) -> dict[str, Any]:
    named: dict[str, Any] = {name: here[name] for name in NAMED if here.get(name) is not None}
    return {**named, **{name: at(answer, name) for name in ("latitude", "longitude", "timezone")}}


def _weather(values: dict[str, Any]) -> dict[str, Any]:
    code = values.pop("weatherCode")
    condition = CONDITIONS.get(code, "Unknown") if isinstance(code, int) else "Unknown"
    date = {"date": values.pop("date")} if "date" in values else {}
    return {**date, "weatherCode": code, "condition": condition, **values}


ENDPOINTS = (forecast, current, geocode)
