"""The calendar: the events of a time span, and new ones.

Source: developers.google.com/workspace/calendar/api/v3/reference/events.
"""

import secrets
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, validate, validates_schema

from service.errors import ServiceError
from service.fields import Text
from service.integrations.call import Call, path_of
from service.integrations.catalog import Example, endpoint
from service.integrations.faults import GrantRejected, ScopeMissing
from service.integrations.payload import Bounded, Moment
from service.integrations.shape import as_object, at, need, objects, picked
from service.integrations.vendors.google.suite import CALENDAR, GOOGLE

DOCS = "https://developers.google.com/workspace/calendar/api/v3/reference/events"
EVENTS = "/calendars/{calendarId}/events"
MOST_AT_ONCE = 20
SHOWN = {
    "id": "id",
    "title": "summary",
    "description": "description",
    "location": "location",
    "status": "status",
    "url": "htmlLink",
    "meetingUrl": "hangoutLink",
    "organizer": "organizer.email",
    "recurringEventId": "recurringEventId",
}
ATTENDEE = {"email": "email", "name": "displayName", "responseStatus": "responseStatus"}


class Span(Schema):
    calendarId = Text(load_default="primary", validate=validate.Length(1, 320))
    timeMin = Moment()
    timeMax = Moment()
    query = Text(validate=validate.Length(1, 500))
    maxResults = fields.Integer(load_default=50, strict=True, validate=validate.Range(1, 250))
    orderBy = Text(load_default="startTime", validate=validate.OneOf(["startTime", "updated"]))
    timeZone = Text(validate=validate.Length(1, 100))
    cursor = Text(validate=validate.Length(1, 2000))


class NewEvent(Schema):
    """All day: `start` and `end` are dates, the end is exclusive. Else times, with an offset in
    them or with `timeZone` beside them."""

    class Meta:
        unknown = RAISE

    title = Text(required=True, validate=validate.Length(1, 1024))
    start = Text(required=True)
    end = Text(required=True)
    allDay = fields.Boolean(load_default=False)
    timeZone = Text(validate=validate.Length(1, 100))
    description = Text(validate=validate.Length(0, 8192))
    location = Text(validate=validate.Length(0, 1024))
    attendees = fields.List(
        Text(validate=Bounded(3, 320, validate.Email()), metadata={"format": "email"}),
        validate=validate.Length(max=200),
    )
    recurrence = fields.List(
        Text(validate=validate.Length(1, 500)), validate=validate.Length(max=10)
    )
    addMeeting = fields.Boolean(load_default=False)

    @validates_schema
    def times(self, data: dict[str, Any], **kwargs: Any) -> None:
        for name in ("start", "end"):
            _check_time(name, data[name], data["allDay"], "timeZone" in data)


class NewEvents(Schema):
    calendarId = Text(load_default="primary", validate=validate.Length(1, 320))
    events = fields.List(
        fields.Nested(NewEvent), required=True, validate=validate.Length(1, MOST_AT_ONCE)
    )
    sendUpdates = Text(
        load_default="none", validate=validate.OneOf(["all", "externalOnly", "none"])
    )


def _check_time(name: str, text: str, all_day: bool, zoned: bool) -> None:
    try:
        moment = date.fromisoformat(text) if all_day else datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or len(text) < len("2026-11-23T10:00") and not all_day:
        what = "a date (YYYY-MM-DD)" if all_day else "a time (ISO 8601)"
        raise ValidationError(f"Must be {what}.", name)
    if isinstance(moment, datetime) and moment.tzinfo is None and not zoned:
        raise ValidationError("Needs an offset, or a timeZone beside it.", name)


MEETING = {
    "id": "7v3sbu4r", "status": "confirmed", "summary": "Planning", "location": "Room 2",
    "htmlLink": "https://www.google.com/calendar/event?eid=7v3sbu4r",
    "start": {"dateTime": "2026-11-23T10:00:00+01:00", "timeZone": "Europe/Berlin"},
    "end": {"dateTime": "2026-11-23T11:00:00+01:00", "timeZone": "Europe/Berlin"},
    "organizer": {"email": "alice@example.com", "self": True},
    "attendees": [{"email": "bob@example.com", "responseStatus": "needsAction"}],
}  # fmt: skip
HOLIDAY = {
    "id": "h0l1day", "status": "confirmed", "summary": "Holiday",
    "start": {"date": "2026-12-24"}, "end": {"date": "2026-12-25"},
}  # fmt: skip
LISTED = Example("GET", EVENTS, {"timeZone": "Europe/Berlin", "items": [MEETING, HOLIDAY]})
MADE = Example("POST", EVENTS, MEETING)


@endpoint(
    "cloudsuite/calendar-list-events", GOOGLE, Span(), "suite", f"{DOCS}/list",
    examples=(LISTED,), aliases=("calendar-events",), reads=True, seconds=30,
    scope="calendar.events",
    accepted=(
        "calendar", "calendar.readonly", "calendar.events.readonly", "calendar.events.owned",
        "calendar.events.owned.readonly",
    ),
)  # fmt: skip
def list_events(call: Call, calendarId: str, **asked: Any) -> dict[str, Any]:  # noqa: N803
    """Events of a calendar, from now on unless another time is given."""
    query = {
        "timeMin": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "q": asked.pop("query", None),
        "pageToken": asked.pop("cursor", None),
        "singleEvents": True,  # without it, Google does not order by start
    }
    found = as_object(
        call.get(path_of(EVENTS, calendarId=calendarId), {**query, **asked}, CALENDAR)
    )
    return {
        "events": [_event(item) for item in objects(at(found, "items") or [])],
        "timeZone": at(found, "timeZone"),
        "nextCursor": at(found, "nextPageToken"),
    }


@endpoint(
    "calendar-create-events", GOOGLE, NewEvents(), "suite", f"{DOCS}/insert",
    examples=(MADE,), seconds=60,
    scope="calendar.events", accepted=("calendar", "calendar.events.owned"),
)  # fmt: skip
def create_events(
    call: Call,
    calendarId: str,  # noqa: N803
    events: list[dict[str, Any]],
    sendUpdates: str,  # noqa: N803
) -> dict[str, Any]:
    """Put up to 20 events into a calendar.

    What is refused once something has been made is told in `failed`, by its place in `events`.
    """
    made: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    path = path_of(EVENTS, calendarId=calendarId)
    for index, event in enumerate(events):
        query = {"sendUpdates": sendUpdates}
        if event["addMeeting"]:
            query["conferenceDataVersion"] = "1"
        try:
            made.append(_event(call.post(path, _resource(event), CALENDAR, query)))
        except ServiceError as error:
            if not made:
                raise  # nothing has happened yet: the caller may simply try again
            hopeless = isinstance(error, GrantRejected | ScopeMissing)
            left = range(index, len(events)) if hopeless else (index,)
            reason = {"error": error.code, "message": error.message}
            failed += [{"index": place, **reason} for place in left]
            if hopeless:
                break
    return {"events": made, "failed": failed}


def _resource(event: dict[str, Any]) -> dict[str, Any]:
    """Our event as Google's."""
    resource = {
        "summary": event["title"],
        "start": _google_time(event, event["start"]),
        "end": _google_time(event, event["end"]),
    }
    for name in ("description", "location", "recurrence"):
        if name in event:
            resource[name] = event[name]
    if "attendees" in event:
        resource["attendees"] = [{"email": address} for address in event["attendees"]]
    if event["addMeeting"]:
        kind = {"type": "hangoutsMeet"}
        request = {"requestId": secrets.token_hex(16), "conferenceSolutionKey": kind}
        resource["conferenceData"] = {"createRequest": request}
    return resource


def _google_time(event: dict[str, Any], text: str) -> dict[str, str]:
    if event["allDay"]:
        return {"date": date.fromisoformat(text).isoformat()}
    zone = {"timeZone": event["timeZone"]} if "timeZone" in event else {}
    return {"dateTime": datetime.fromisoformat(text).isoformat(), **zone}


def _event(item: Any) -> dict[str, Any]:
    """Google's event as ours."""
    start, end = need(item, "start"), need(item, "end")
    return {
        **picked(item, SHOWN),
        "start": at(start, "dateTime") or need(start, "date"),
        "end": at(end, "dateTime") or need(end, "date"),
        "allDay": "date" in start,
        "attendees": [_attendee(person) for person in objects(at(item, "attendees") or [])],
    }


def _attendee(person: Mapping[str, Any]) -> dict[str, Any]:
    """Somebody of a group may have no address."""
    return {ours: at(person, theirs) for ours, theirs in ATTENDEE.items()}


ENDPOINTS = (list_events, create_events)
