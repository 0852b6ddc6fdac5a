"""What an account has spent, by day, and by model or endpoint. The database calculates the sums.

A refund reduces the sum of the day on which it was given. A part of a charge that was settled late
does not count as a further call. A day is in a time zone: where the clocks change, it has 23 or 25
hours.
"""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    String,
    and_,
    case,
    column,
    func,
    literal,
    or_,
    select,
    values,
)

from service.billing.models import REFUND_REF, REFUND_WHAT, Entry
from service.database.clock import microseconds
from service.database.statements import Statements
from service.extensions import table

MOST_DAYS = 366
KINDS = ("model", "endpoint", "interrupted")

Period = tuple[date, datetime, datetime]  # a day, its beginning, and the beginning of the next day

_entries = table(Entry)
_is_refund = and_(
    _entries.c.kind == "grant",
    _entries.c.ref.startswith(REFUND_REF),
    _entries.c.what.startswith(REFUND_WHAT),  # an operator chooses the `ref` of a grant
)
is_spent = or_(_entries.c.kind.in_(("charge", "rest")), _is_refund)
_what = case(
    (_is_refund, func.substr(_entries.c.what, len(REFUND_WHAT) + 1)), else_=_entries.c.what
).label("what")
# Only the charge of an endpoint names an integration, and every refund is for an endpoint.
_of_endpoint = or_(_is_refund, _entries.c.facts["integration"].as_string().is_not(None))
_kind = case(
    (_of_endpoint, literal("endpoint", String)),
    (_entries.c.facts["swept"].as_string().is_not(None), literal("interrupted", String)),
    else_=literal("model", String),
).label("kind")
_amount = func.sum(-_entries.c.amount).label("amount")
_calls = func.sum(case((_entries.c.kind == "charge", 1), else_=0)).label("calls")


@dataclass(frozen=True)
class Sum:
    """The micro-credits that were spent, and the number of charged turns and calls."""

    amount: int = 0
    calls: int = 0


@dataclass(frozen=True)
class Spend:
    """`days` are in their order, including days without a charge.

    `sources` are by name, the largest sum first, each with its kind: `model`, `endpoint`, or
    `interrupted` for costs of a lost worker.
    """

    days: list[tuple[date, Sum]]
    sources: list[tuple[str, str, Sum]]

    @property
    def total(self) -> Sum:
        sums = [one for _, one in self.days]
        return Sum(sum(one.amount for one in sums), sum(one.calls for one in sums))


def spend(session: Statements, subject: str, days: int, zone: ZoneInfo, now: datetime) -> Spend:
    """Return what `subject` has spent in the last `days` days of `zone`, including today.

    `now` is the current time.
    """
    last = now.astimezone(zone).date()
    first = last - timedelta(days=days - 1)
    periods = [_period(first + timedelta(days=number), zone) for number in range(days)]
    by_day = {
        row.number: Sum(int(row.amount), row.calls)
        for row in session.execute(_sum_by_day(subject, periods))
    }
    start, end = periods[0][1], periods[-1][2]
    rows = session.execute(_sum_by_source(subject, start, end)).all()
    sources = [(row.what, row.kind, Sum(int(row.amount), row.calls)) for row in rows]
    sources.sort(key=lambda source: (-source[2].amount, source[0]))
    named = [(day, by_day.get(number, Sum())) for number, (day, _, _) in enumerate(periods)]
    return Spend(named, sources)


def _period(day: date, zone: ZoneInfo) -> Period:
    begins, ends = (datetime.combine(one, time(), zone) for one in (day, day + timedelta(days=1)))
    return day, begins, ends


def _sum_by_day(subject: str, periods: list[Period]) -> Select[Any]:
    """Return the sums by the number of the day.

    A day is found by a division: SQLite knows no time zones, and a join of all days with all
    entries takes seconds for a year.
    """
    names = (
        ("number", Integer),
        ("begins", BigInteger),
        ("ends", BigInteger),
        ("length", BigInteger),
    )
    run = values(*(column(*name) for name in names), name="days").data(_runs(periods)).cte("run")
    moment = microseconds(_entries.c.created_at)
    number = (run.c.number + (moment - run.c.begins) // run.c.length).label("number")
    in_run = and_(moment >= run.c.begins, moment < run.c.ends)
    in_range = _in_range(subject, periods[0][1], periods[-1][2])
    rows = select(number, _amount, _calls).join(_entries, and_(in_run, in_range))
    return rows.group_by(number)


def _runs(periods: list[Period]) -> list[tuple[int, int, int, int]]:
    """Group consecutive days of equal length.

    A group is the number of its first day, its begin, its end and the length of one day, in µs. A
    year has a few groups, because most days have 24 hours.
    """
    runs: list[tuple[int, int, int, int]] = []
    for number, (_, *bounds) in enumerate(periods):
        begins, ends = (round(bound.timestamp()) * 1_000_000 for bound in bounds)
        if runs and runs[-1][3] == ends - begins:
            first, start, _, length = runs.pop()
            runs.append((first, start, ends, length))
        else:
            runs.append((number, begins, ends, ends - begins))
    return runs


def _sum_by_source(subject: str, start: datetime, end: datetime) -> Select[Any]:
    rows = select(_what, _kind, _amount, _calls)
    return rows.where(_in_range(subject, start, end)).group_by(_what, _kind)


def _in_range(subject: str, start: datetime, end: datetime) -> ColumnElement[bool]:
    moment = _entries.c.created_at
    return and_(_entries.c.account == subject, is_spent, moment >= start, moment < end)
