"""The calendar: the events of a time span.

Source: developers.google.com/workspace/calendar/api/v3/reference/events.
"""

import re
from datetime import UTC, datetime
from typing import Any

from marshmallow import ValidationError, post_load

from service.integrations.declare.endpoint import READ, Endpoint
from service.integrations.declare.example import File, example
from service.integrations.declare.fields import Choice, Count, Moment, Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import text
from service.integrations.declare.request import get
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Bool, Each, Made, Maybe, Shape, Values
from service.integrations.vendors.google.suite import CALENDAR, GOOGLE
from service.web.fields import is_time_zone

DOCS = "https://developers.google.com/workspace/calendar/api/v3/reference/events"
EVENTS = "/calendars/{calendarId}/events"
_CURSOR = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)_(.+)", re.ASCII | re.DOTALL)


def _time(name: str) -> Made:
    """Read a time, or a date for a whole day."""

    def read(event: Any, values: Any) -> str:
        kind = "date" if find(event, f"{name}.dateTime") is None else "dateTime"
        return text(event, f"{name}.{kind}")

    return Made("", read)


# Somebody of a group may have no address.
ATTENDEE = Shape(
    email=Maybe("email"), name=Maybe("displayName"), responseStatus=Maybe("responseStatus")
)
EVENT = Shape(
    id="id", title=Maybe("summary"), description=Maybe("description"), location=Maybe("location"),
    status=Maybe("status"), url=Maybe("htmlLink"), meetingUrl=Maybe("hangoutLink"),
    organizer=Maybe("organizer.email"), recurringEventId=Maybe("recurringEventId"),
    start=_time("start"), end=_time("end"),
    allDay=Made(Bool(""), lambda event, values: find(event, "start.date") is not None),
    attendees=Each("attendees", ATTENDEE, default=()),
)  # fmt: skip


def check_zone(name: str) -> None:
    """Raise `ValidationError` unless the name is a time zone."""
    if not is_time_zone(name):
        raise ValidationError("Must be an IANA time zone, such as Europe/Berlin.")


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Calendar(Parameters):
    calendarId = Words(
        "The calendar's id, often a mail address; by default, the user's own.",
        most=320, to="path.calendarId", default="primary",
    )  # fmt: skip


class Events(Calendar):
    timeMin = Moment("Only events that end after this time.", to="query.timeMin", default=_now)
    timeMax = Moment("Only events that start before this time.", to="query.timeMax")
    query = Words("Only events in which these words occur.", most=500, to="query.q")
    maxResults = Count("Events of a page.", least=1, most=250, to="query.maxResults", default=50)
    orderBy = Choice(
        "startTime", "updated", about="What to sort by.", to="query.orderBy", default="startTime"
    )
    timeZone = Words(
        "The time zone of the answer's times.",
        most=100, checks=(check_zone,), to="query.timeZone",
    )  # fmt: skip
    cursor = Words("The `nextCursor` of the page before.", most=2000, to="query.pageToken")

    @post_load
    def page(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Take the first page's `timeMin` from a cursor, as Google requires the same request."""
        if match := _CURSOR.fullmatch(data.get("cursor", "")):
            data = {**data, "timeMin": match[1], "cursor": match[2]}
        if "timeMax" in data and data["timeMax"] <= data["timeMin"]:
            raise ValidationError(
                "Must be after timeMin, which is now if none is given.", "timeMax"
            )
        return data


def _next_cursor(answer: Any, values: Values) -> str | None:
    token = Maybe("nextPageToken").read(answer, values)
    return f"{values['timeMin']}_{token}" if token else None


list_events = Endpoint(
    name="cloudsuite/calendar-list-events", vendor=GOOGLE, category="suite",
    aliases=("calendar-events",),
    summary="Events of a calendar, from now on unless another time is given.",
    says=Says("Reading the calendar", "Read {events:event} of the calendar"),
    docs=f"{DOCS}/list", access=READ, seconds=30,
    scope="calendar.events",
    accepted=(
        "calendar", "calendar.readonly", "calendar.events.readonly", "calendar.events.owned",
        "calendar.events.owned.readonly",
    ),
    takes=Events,
    # Google can sort only single events by their start.
    asks=get(EVENTS, base=CALENDAR, query={"singleEvents": True}),
    gives=Shape(
        events=Each("items", EVENT, default=()), timeZone=Maybe("timeZone"),
        nextCursor=Made(Maybe(""), _next_cursor),
    ),
    examples=(example(
        {
            "timeMin": "2026-11-23T01:00:00+01:00", "timeMax": "2026-11-30T00:00:00Z",
            "query": "plan", "timeZone": "Europe/Berlin", "cursor": "CigKGjBp",
        },
        "GET /calendars/primary/events?singleEvents=true&timeMin=2026-11-23T00%3A00%3A00Z"
        "&timeMax=2026-11-30T00%3A00%3A00Z&q=plan&maxResults=50&orderBy=startTime"
        "&timeZone=Europe%2FBerlin&pageToken=CigKGjBp",
        File("google/events.json"), base=CALENDAR,
    ),),
)  # fmt: skip
