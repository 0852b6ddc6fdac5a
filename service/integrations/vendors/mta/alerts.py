"""Changes and disturbances of the subway's service."""

import time
from collections.abc import Mapping
from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import example
from service.integrations.declare.fields import Choice, Count, Parameters, Switch
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_object, objects
from service.integrations.declare.request import Outgoing, get
from service.integrations.declare.shape import Each, Made, Maybe, Shape, Str, Values
from service.integrations.vendors.mta.vendor import (
    DOCS,
    FEEDS,
    MTA,
    ROUTES,
    distinct,
    line_of,
    moment,
)

MERCURY = "transit_realtime.mercury_alert"  # the MTA's own part of an alert


class Alerts(Parameters):
    route = Choice(*ROUTES, about="Only alerts about this line.")
    activeOnly = Switch("Only what holds now.", default=True)
    limit = Count("Number of alerts, the newest first.", least=1, most=100, default=20)


def _mercury(entity: Any) -> Mapping[str, Any]:
    """Return the MTA's own part of an alert. A path can't name it, because its name has a dot."""
    alert = find(entity, "alert")
    part = alert.get(MERCURY) if isinstance(alert, Mapping) else None
    return part if isinstance(part, Mapping) else {}


def _text(name: str) -> Made:
    """Read a text of an alert in plain English."""

    def text(entity: Any, values: Values) -> str | None:
        texts = find(entity, f"alert.{name}.translation")
        known = texts if isinstance(texts, list) else []
        found = [one for one in known if find(one, "language") == "en"]
        first: str | None = Maybe("0.text").read(found, {})
        return first

    return Made(Maybe(""), text)


def _about(name: str) -> Made:
    """Read the routes or stops that an alert is about."""

    def about(entity: Any, values: Values) -> list[str]:
        parts = find(entity, "alert.informed_entity")
        return distinct(find(one, name) for one in parts) if isinstance(parts, list) else []

    return Made(Each("", Str("")), about)


def _moment(name: str) -> Made:
    return Made(Maybe(""), lambda item, values: moment(find(item, name)))


ALERT = Shape(
    id="id",
    type=Made(Maybe(""), lambda one, values: Maybe("alert_type").read(_mercury(one), values)),
    routes=_about("route_id"), stops=_about("stop_id"),
    header=_text("header_text"), description=_text("description_text"),
    periods=Each("alert.active_period", Shape(start=_moment("start"), end=_moment("end")),
                 default=()),
    updatedAt=Made(Maybe(""), lambda one, values: moment(_mercury(one).get("updated_at"))),
)  # fmt: skip
ALERTS = Shape(alerts=Each("entity", ALERT))


def _alerts(
    call: Call, request: Outgoing, *, active_only: bool, limit: int, route: str | None = None
) -> dict[str, Any]:
    entities = _entities(as_object(call.send(request)))
    kept = [one for one in entities if not active_only or _is_active(one)]
    found = ALERTS.read({"entity": kept})["alerts"]
    if route:
        found = [one for one in found if line_of(route) in map(line_of, one["routes"])]
    found.sort(key=lambda one: one["updatedAt"] or "", reverse=True)
    return {"alerts": found[:limit]}


def _entities(feed: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the alerts of a feed. A feed without alerts has only its header."""
    if feed.get("entity") is None:
        as_object(feed.get("header"))
        return []
    return objects(feed["entity"])


def _is_active(entity: Mapping[str, Any]) -> bool:
    """Return whether an alert is active now. Without a period it is (GTFS-realtime,
    `active_period`)."""
    now, periods = time.time(), find(entity, "alert.active_period")
    if not isinstance(periods, list) or not periods:
        return True
    return any(_second(one, "start", 0) <= now <= _second(one, "end", now) for one in periods)


def _second(period: Any, name: str, otherwise: float) -> float:
    value = find(period, name)
    return value if isinstance(value, int) and value else otherwise


alerts = Endpoint(
    name="transit-subway-alerts", vendor=MTA, category="science",
    summary="Disruptions and changes of the service of New York's subway.",
    docs=DOCS, access=FREE_READ, seconds=20, takes=Alerts,
    cache=Cache(seconds=60, shared=True),
    asks=get(f"{FEEDS}/camsys%2Fsubway-alerts.json", limit=16 << 20), run=_alerts, gives=ALERTS,
    examples=(example(
        {"route": "A", "limit": 5},
        f"GET {FEEDS}/camsys%2Fsubway-alerts.json",
        {
            "header": {"gtfs_realtime_version": "2.0", "timestamp": 1795350000},
            "entity": [{"id": "lmm:planned_work:31219", "alert": {
                "active_period": [{"start": 1700000000, "end": 1700003600}, {"start": 1795000000}],
                "informed_entity": [
                    {"agency_id": "MTASBWY", "route_id": "A"},
                    {"agency_id": "MTASBWY", "stop_id": "A02"},
                ],
                "header_text": {"translation": [
                    {"text": "[A] runs every 20 minutes", "language": "en"},
                    {"text": "<p>[A] runs every 20 minutes</p>", "language": "en-html"},
                ]},
                "description_text": {"translation": [
                    {"text": "We are replacing tracks.", "language": "en"},
                ]},
                MERCURY: {
                    "created_at": 1795000000, "updated_at": 1795340000,
                    "alert_type": "Planned - Reduced Service",
                },
            }}],
        },
    ),),
)  # fmt: skip

ENDPOINTS = (alerts,)
