"""The suite's calendars, one for each account."""

import secrets
from collections.abc import Mapping
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.database.access import write_transaction
from service.extensions import db
from service.sandbox.suite.client import DemoAccount
from service.sandbox.suite.models import SuiteEvent
from service.sandbox.suite.routes import ApiError, ApiRequest, Route, not_found, page
from service.times import timestamp
from service.web.fields import is_time_zone

WRITE = frozenset({"calendar", "calendar.events", "calendar.events.owned"})
READ = WRITE | {"calendar.readonly", "calendar.events.readonly", "calendar.events.owned.readonly"}
STORED_FIELDS = ("summary", "description", "location", "start", "end", "recurrence", "attendees")


def list_events(request: ApiRequest) -> dict[str, Any]:
    _check_calendar(request)
    single, order = request.one("singleEvents") == "true", request.one("orderBy")
    if order == "startTime" and not single:
        raise ApiError(400, "badRequest", "The requested ordering is not available")
    mine = select(SuiteEvent).filter_by(account=request.account.id)
    if request.one("timeMin"):
        mine = mine.where(SuiteEvent.ends_at > _moment(request.one("timeMin")))
    if request.one("timeMax"):
        mine = mine.where(SuiteEvent.starts_at < _moment(request.one("timeMax")))
    mine = mine.order_by(SuiteEvent.updated_at if order == "updated" else SuiteEvent.starts_at)
    words = request.one("q").lower()
    found = [e for e in db.session.scalars(mine) if words in _words(e)]
    shown, more = page(request, found, request.number("maxResults", 250, 2500))
    zone = request.one("timeZone")
    items = [_in_zone(event.resource, zone) if zone else event.resource for event in shown]
    return {"kind": "calendar#events", "timeZone": zone or "UTC", "items": items, **more}


def insert(request: ApiRequest) -> dict[str, Any]:
    _check_calendar(request)
    given = request.json()
    if request.one("conferenceDataVersion") != "1":
        given.pop("conferenceData", None)
    with write_transaction() as session:
        return add(session, request.account, given).resource


def add(session: Session, account: DemoAccount, given: Mapping[str, Any]) -> SuiteEvent:
    """Store a new event. Raises `ApiError`."""
    starts, ends = _when(given, "start"), _when(given, "end")
    if ends < starts:
        raise ApiError(400, "timeRangeEmpty", "The specified time range is empty.")
    event_id = secrets.token_hex(13)
    resource = {
        "kind": "calendar#event",
        "id": event_id,
        "status": "confirmed",
        "htmlLink": f"https://sandbox.invalid/calendar/{event_id}",
        "organizer": {"email": account.email, "self": True},
        **{name: given[name] for name in STORED_FIELDS if name in given},
    }
    for side, moment in (("start", starts), ("end", ends)):
        if "dateTime" in given[side]:  # with an offset in any case
            resource[side] = {**given[side], "dateTime": moment.isoformat()}
    if "conferenceData" in given:
        resource["hangoutLink"] = f"https://sandbox.invalid/meet/{event_id[:10]}"
    resource["updated"] = timestamp(datetime.now(UTC))
    times = {"starts_at": starts, "ends_at": ends}
    event = SuiteEvent(event_id=event_id, account=account.id, resource=resource, **times)
    session.add(event)
    return event


def _check_calendar(request: ApiRequest) -> None:
    if request.path["calendar_id"] not in ("primary", request.account.email):
        raise not_found("Calendar")


def _when(given: Mapping[str, Any], name: str) -> datetime:
    """Return the moment of a start or an end. A day begins at midnight in UTC."""
    value = given.get(name)
    if not isinstance(value, dict) or ("date" in value) == ("dateTime" in value):
        raise ApiError(400, "required", f"Missing {name} time.")
    if "date" in value:
        return _moment(f"{value['date']}T00:00:00+00:00")
    return _moment(value["dateTime"], value.get("timeZone"))


def _moment(text: str, zone: str | None = None) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None and zone:
            moment = moment.replace(tzinfo=ZoneInfo(zone))
    except (ValueError, TypeError, OSError, ZoneInfoNotFoundError):
        moment = None
    if moment is None or moment.tzinfo is None or not MINYEAR < moment.year < MAXYEAR:
        raise ApiError(400, "badRequest", "Bad Request")
    return moment


def _in_zone(resource: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the event with its times in a time zone. Days are the same in all zones."""
    if not is_time_zone(name):
        raise ApiError(400, "invalid", f"Invalid time zone definition {name}")
    moved = dict(resource)
    for side in ("start", "end"):
        if "dateTime" in resource[side]:
            moment = _when(resource, side).astimezone(ZoneInfo(name))
            moved[side] = {**resource[side], "dateTime": moment.isoformat()}
    return moved


def _words(event: SuiteEvent) -> str:
    kept = (event.resource.get(name) or "" for name in ("summary", "description", "location"))
    return " ".join(kept).lower()


ROUTES = (
    Route("GET", "/calendar/calendars/<calendar_id>/events", READ, list_events),
    Route("POST", "/calendar/calendars/<calendar_id>/events", WRITE, insert),
)
