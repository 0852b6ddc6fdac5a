"""The weather at a place: day by day, and now."""

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange, File
from service.integrations.declare.fields import Amount, Choice, Count, Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_list, as_object, need, unusable
from service.integrations.declare.request import Outgoing, get
from service.integrations.declare.says import Says
from service.integrations.declare.shape import (
    Bool,
    Each,
    Int,
    Made,
    Maybe,
    Num,
    Raw,
    Shape,
    Str,
    Values,
    Within,
)
from service.integrations.vendors.open_meteo.places import first_place
from service.integrations.vendors.open_meteo.vendor import DOCS, GEOCODING, OPEN_METEO

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
DAILY = (
    "weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum,"
    "precipitation_probability_max,wind_speed_10m_max,sunrise,sunset,uv_index_max"
)
CURRENT = (
    "temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,weather_code,"
    "cloud_cover,pressure_msl,wind_speed_10m,wind_direction_10m,wind_gusts_10m,is_day"
)


def _condition(item: Any, values: Values) -> str:
    code = find(item, "weather_code")
    return CONDITIONS.get(code, "Unknown") if isinstance(code, int) else "Unknown"


def _days(answer: Any, values: Values) -> list[dict[str, Any]]:
    """Return an object for each day. The vendor has a list of all days for each variable."""
    names = ("time", *DAILY.split(","))
    columns = [as_list(need(answer, f"daily.{name}")) for name in names]
    if len(set(map(len, columns))) != 1:
        raise unusable("daily")
    return [DAY.read(dict(zip(names, day, strict=True))) for day in zip(*columns, strict=True)]


LOCAL = "In the place's own time zone."
CODE = Shape(weatherCode=Maybe(Int("weather_code")), condition=Made("", _condition))
DAY = Shape(
    Shape(date="time"), CODE, tempMax=Maybe(Num("temperature_2m_max")),
    tempMin=Maybe(Num("temperature_2m_min")), precipitation=Maybe(Num("precipitation_sum")),
    precipitationProbability=Maybe(Num("precipitation_probability_max")),
    windMax=Maybe(Num("wind_speed_10m_max")),
    sunrise=Maybe(Str("sunrise", about=LOCAL)), sunset=Maybe(Str("sunset", about=LOCAL)),
    uvIndexMax=Maybe(Num("uv_index_max")),
)  # fmt: skip
NOW = Shape(
    Shape(time=Str("time", about=LOCAL)), CODE, temperature=Maybe(Num("temperature_2m")),
    feelsLike=Maybe(Num("apparent_temperature")), humidity=Maybe(Num("relative_humidity_2m")),
    precipitation=Maybe(Num("precipitation")), cloudCover=Maybe(Num("cloud_cover")),
    pressure=Maybe(Num("pressure_msl")), windSpeed=Maybe(Num("wind_speed_10m")),
    windDirection=Maybe(Num("wind_direction_10m")), windGusts=Maybe(Num("wind_gusts_10m")),
    isDay=Made(Bool(""), lambda now, values: need(now, "is_day") == 1),
)  # fmt: skip
PLACE = Shape(
    name=Maybe("city.name"), country=Maybe("city.country"), latitude=Maybe(Num("latitude")),
    longitude=Maybe(Num("longitude")), timezone=Maybe("timezone"),
)  # fmt: skip


def _units(name: str) -> Made:
    about = "The unit of each value, by the vendor's name for it, such as `temperature_2m`."
    return Made(Raw("", about=about), lambda answer, values: find(answer, name) or {})


FORECAST = Shape(place=PLACE, units=_units("daily_units"), days=Made(Each("", DAY), _days))
WEATHER = Shape(place=PLACE, units=_units("current_units"), current=Within("current", NOW))


class Place(Parameters):
    city = Words(
        "A city's name, or with its country or region, such as `Paris, France`; or give both "
        "coordinates.",
        least=2, most=100,
    )  # fmt: skip
    latitude = Amount("Degrees to the north.", least=-90, most=90, to="query.latitude")
    longitude = Amount("Degrees to the east.", least=-180, most=180, to="query.longitude")
    units = Choice(
        "metric", "imperial", about="°C, km/h and mm, or °F, mph and inches.", default="metric"
    )
    language = Words(
        "The language of the city's name, in the call and the answer.",
        pattern=r"^[a-z]{2}(-[A-Za-z]{2,4})?$", default="en",
    )  # fmt: skip

    @validates_schema
    def check_place(self, data: dict[str, Any], **kwargs: Any) -> None:
        point = [name in data for name in ("latitude", "longitude")]
        if ("city" in data) == any(point) or any(point) != all(point):
            raise ValidationError("Give either a city, or latitude and longitude.", "city")


class Forecast(Place):
    days = Count("Number of days.", least=1, most=5, to="query.forecast_days", default=5)


def _forecast(
    call: Call, request: Outgoing, *, units: str, language: str, city: str | None = None
) -> dict[str, Any]:
    return FORECAST.read(_answer(call, request, units, language, city))


def _current(
    call: Call, request: Outgoing, *, units: str, language: str, city: str | None = None
) -> dict[str, Any]:
    return WEATHER.read(_answer(call, request, units, language, city))


def _answer(
    call: Call, request: Outgoing, units: str, language: str, city: str | None
) -> Mapping[str, Any]:
    """Return Open-Meteo's answer, with the requested place as `city`. Raises `NotFound`."""
    if units == "imperial":
        request = request.plus(query=IMPERIAL)
    if city is None:
        return as_object(call.send(request))
    place = first_place(call, city, language)
    point = {name: place[name] for name in ("latitude", "longitude")}
    return {**as_object(call.send(request.plus(query=point))), "city": place}


BERLIN = Exchange(
    "GET /v1/search?format=json&name=Berlin&count=1&language=en",
    File("open_meteo/berlin.json"), base=GEOCODING, when={"query.count": 1},
)  # fmt: skip

forecast = Endpoint(
    name="weather-forecast", vendor=OPEN_METEO, category="science",
    summary="Weather day by day, for at most five days.",
    says=Says("Looking at the weather in {city}", "Weather in {place.name} for {days:day}"),
    docs=DOCS, access=FREE_READ, seconds=20,
    cache=Cache(seconds=900, shared=True),
    takes=Forecast, asks=get("/v1/forecast", query={"timezone": "auto", "daily": DAILY}),
    run=_forecast, gives=FORECAST,
    examples=(Example({"city": "Berlin", "days": 2}, (
        BERLIN,
        Exchange(
            "GET /v1/forecast?latitude=52.52437&longitude=13.41053&timezone=auto"
            f"&daily={DAILY}&forecast_days=2",
            File("open_meteo/forecast.json"),
        ),
    )), Example({"latitude": 52.5, "longitude": -13.4, "days": 2}, (
        Exchange(
            "GET /v1/forecast?latitude=52.5&longitude=-13.4&timezone=auto"
            f"&daily={DAILY}&forecast_days=2",
            File("open_meteo/forecast.json"),
        ),
    ))),
)  # fmt: skip

current = Endpoint(
    name="current-weather", vendor=OPEN_METEO, category="science",
    summary="The weather now.",
    says=Says(
        "Looking at the weather in {city}",
        "Weather in {place.name}: {current.temperature} {units.temperature_2m}",
    ),
    docs=DOCS, access=FREE_READ, seconds=20,
    cache=Cache(seconds=300, shared=True),
    takes=Place, asks=get("/v1/forecast", query={"timezone": "auto", "current": CURRENT}),
    run=_current, gives=WEATHER,
    examples=(Example({"city": "Berlin"}, (
        BERLIN,
        Exchange(
            "GET /v1/forecast?latitude=52.52437&longitude=13.41053&timezone=auto"
            f"&current={CURRENT}",
            File("open_meteo/current.json"), when={"query.current": CURRENT},
        ),
    )), Example({"latitude": 52.5, "longitude": -13.4}, (
        Exchange(
            f"GET /v1/forecast?latitude=52.5&longitude=-13.4&timezone=auto&current={CURRENT}",
            File("open_meteo/current.json"), when={"query.current": CURRENT},
        ),
    ))),
)  # fmt: skip

ENDPOINTS = (forecast, current)
