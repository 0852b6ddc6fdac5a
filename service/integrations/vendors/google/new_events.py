"""New events of the calendar, one request for each.

Source: developers.google.com/workspace/calendar/api/v3/reference/events/insert.
"""

import re
import secrets
from datetime import date, datetime
from typing import Any

from marshmallow import ValidationError, post_load, validate, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange, File
from service.integrations.declare.faults import GrantRejected, ScopeMissing
from service.integrations.declare.fields import Choice, Parameters, Part, Several, Switch, Words
from service.integrations.declare.request import Outgoing, part_of, post
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Bool, Each, Int, Shape
from service.integrations.vendors.google.calendar import DOCS, EVENT, EVENTS, Calendar, check_zone
from service.integrations.vendors.google.suite import CALENDAR, GOOGLE
from service.web.errors import ServiceError

MOST_AT_ONCE = 20
# Otherwise `2026-11-23+01:00`, a date with an offset, would be read as one o'clock.
_TIME = re.compile(r"[0-9W-]+[Tt ][0-9]{2}:?[0-9]{2}")
FAILURE = Shape(
    index=Int("index"), error="error", message="message",
    mayExist=Bool("mayExist", about="Whether it may have been made all the same: look first."),
)  # fmt: skip


class NewEvent(Parameters):
    """A new event. For a whole day, `start` and `end` are dates, and the end is exclusive.

    Otherwise they are times, with an offset or with `timeZone`. Both are loaded in Google's form.
    """

    title = Words("Its title.", most=1024, to="summary", required=True)
    start = Words("When it starts: a time, or a date if it is all day.", required=True)
    end = Words("When it ends; of one that is all day, the date after its last.", required=True)
    allDay = Switch("Whether it takes whole days.", default=False)
    timeZone = Words(
        "The time zone, such as `Europe/Berlin`. A repeated event with times needs one.",
        most=100, checks=(check_zone,),
    )  # fmt: skip
    description = Words("What it is about.", least=0, most=8192)
    location = Words("Where it is.", least=0, most=1024)
    attendees = Several(
        Words(least=3, most=320, checks=(validate.Email(),), form="email"),
        "The mail addresses of those who are invited.",
        most=200, theirs=lambda addresses: [{"email": address} for address in addresses],
    )  # fmt: skip
    recurrence = Several(
        Words(most=500, pattern="^(RRULE|EXRULE|RDATE|EXDATE)[:;][!-~]+$"),
        "How it is repeated, in lines such as `RRULE:FREQ=DAILY`.", most=10,
    )  # fmt: skip
    addMeeting = Switch(
        "Whether it gets a video meeting.",
        to="conferenceData", theirs=lambda wanted: _meeting() if wanted else None, default=False,
    )  # fmt: skip

    @validates_schema
    def times(self, data: dict[str, Any], **kwargs: Any) -> None:
        for name in ("start", "end"):
            _check_time(name, data[name], data["allDay"], "timeZone" in data)
        if data.get("recurrence") and not data["allDay"] and "timeZone" not in data:
            raise ValidationError("A repeated event with times needs a timeZone.", "timeZone")

    @post_load
    def google_times(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        all_day, zone = data.pop("allDay"), data.pop("timeZone", None)
        times = {name: _google_time(data[name], all_day, zone) for name in ("start", "end")}
        return {**data, **times}


class NewEvents(Calendar):
    events = Several(Part(NewEvent), "The events.", least=1, most=MOST_AT_ONCE, required=True)
    sendUpdates = Choice(
        "all", "externalOnly", "none",
        about="Which guests get an invitation by mail. Without one, a guest whose calendar is not "
        "Google's may never see the event.",
        to="query.sendUpdates", default="none",
    )  # fmt: skip


def _check_time(name: str, text: str, all_day: bool, zoned: bool) -> None:
    try:
        moment = date.fromisoformat(text) if all_day else datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or not all_day and not _TIME.match(text):
        what = "a date (YYYY-MM-DD)" if all_day else "a time (ISO 8601)"
        raise ValidationError(f"Must be {what}.", name)
    if isinstance(moment, datetime) and moment.tzinfo is None and not zoned:
        raise ValidationError("Needs an offset, or a timeZone beside it.", name)


def _google_time(text: str, all_day: bool, zone: str | None) -> dict[str, str]:
    if all_day:
        return {"date": date.fromisoformat(text).isoformat()}
    time = {"dateTime": datetime.fromisoformat(text).isoformat()}
    return {**time, "timeZone": zone} if zone else time


def _meeting() -> dict[str, Any]:
    kind = {"type": "hangoutsMeet"}
    request = {"requestId": secrets.token_hex(16), "conferenceSolutionKey": kind}
    return {"createRequest": request}


NEW_EVENT = NewEvent()


def _create(call: Call, request: Outgoing, *, events: list[dict[str, Any]]) -> dict[str, Any]:
    """Create one event after the other. A refusal of the first one is raised."""
    made: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    effects = call.effects
    for index, event in enumerate(events):
        earlier, effects.acts = effects.acts, 0
        try:
            made.append(EVENT.read(call.send(_insertion(request, event))))
        except ServiceError as error:
            if not made:
                raise  # as for a single event: no other event was requested
            hopeless = isinstance(error, GrantRejected | ScopeMissing)
            left = range(index, len(events)) if hopeless else (index,)
            reason = {"error": error.code, "message": error.message}
            unclear = effects.may_have_acted
            failed += [{"index": place, **reason, "mayExist": unclear} for place in left]
            if hopeless:
                break
        finally:
            effects.acts += earlier
    return {"events": made, "failed": failed}


def _insertion(request: Outgoing, event: dict[str, Any]) -> Outgoing:
    version = {"conferenceDataVersion": 1} if event["addMeeting"] else {}
    return request.plus(query=version, json=part_of(NEW_EVENT, event))


create_events = Endpoint(
    name="calendar-create-events", vendor=GOOGLE, category="suite",
    summary="Put up to 20 events into a calendar.",
    says=Says("Adding {events:event} to the calendar", "Added {events:event} to the calendar"),
    docs=f"{DOCS}/insert", seconds=60,
    scope="calendar.events", accepted=("calendar", "calendar.events.owned"),
    takes=NewEvents, asks=post(EVENTS, base=CALENDAR), run=_create,
    # An event that is refused after another one was made is listed in `failed`.
    gives=Shape(events=Each("", EVENT), failed=Each("", FAILURE)),
    examples=(Example(
        {
            "calendarId": "team@example.com", "sendUpdates": "all",
            "events": [
                {
                    "title": "Planning", "timeZone": "Europe/Berlin",
                    "start": "2026-11-23T10:00+01:00", "end": "2026-11-23T11:00+01:00",
                    "attendees": ["bob@example.com"],
                    "description": "The next release.", "location": "Room 2",
                    "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=4"],
                },
                {"title": "Over", "allDay": True, "start": "2026-12-24", "end": "2026-12-20"},
            ],
        },
        (
            Exchange(
                "POST /calendars/team%40example.com/events?sendUpdates=all",
                File("google/event.json"), base=CALENDAR, when={"json.summary": "Planning"},
                body={
                    "summary": "Planning", "description": "The next release.", "location": "Room 2",
                    "start": {"dateTime": "2026-11-23T10:00:00+01:00", "timeZone": "Europe/Berlin"},
                    "end": {"dateTime": "2026-11-23T11:00:00+01:00", "timeZone": "Europe/Berlin"},
                    "attendees": [{"email": "bob@example.com"}],
                    "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=4"],
                },
            ),
            Exchange(
                "POST /calendars/team%40example.com/events?sendUpdates=all",
                {"error": {"code": 400, "message": "The specified time range is empty."}},
                status=400, base=CALENDAR, when={"json.summary": "Over"},
                body={
                    "summary": "Over",
                    "start": {"date": "2026-12-24"}, "end": {"date": "2026-12-20"},
                },
            ),
        ),
    ),),
)  # fmt: skip
