"""Errors by kind: the endings of stored turns, and the errors that this host has counted."""

from collections import Counter
from datetime import timedelta
from typing import Any

from sqlalchemy import func, select

from service.chat.models import Turn
from service.extensions import db
from service.observing.scrape import metrics_registry
from service.times import now, timestamp

NEWEST = 10_000  # turns that are read
MOST_KINDS = 100  # listed kinds of each sort of error

# For each metric: the labels that make a kind, and whether a sample is an error.
COUNTED: dict[str, tuple[tuple[str, ...], Any]] = {
    "turns_total": (("model", "status"), lambda labels: labels["status"] == "failed"),
    "upstream_calls_total": (
        ("upstream", "outcome"),
        lambda labels: not labels["outcome"].startswith(("2", "3")),
    ),
    "http_requests_total": (
        ("method", "route", "status"),
        lambda labels: labels["status"].startswith("5"),
    ),
}


def count_turn_endings(hours: int) -> dict[str, Any]:
    """Count how the turns stored in the last hours ended, most frequent first.

    At most the newest `NEWEST` turns are read: `isWhole` says whether these were all. A failed turn
    stores no row.
    """
    newest = select(Turn).order_by(Turn.seq.desc()).limit(NEWEST).subquery()
    since = now() - timedelta(hours=hours)
    columns = (newest.c.status, newest.c.reason, newest.c.finish_reason)
    count = func.count().label("number")
    kinds = select(*columns, count, func.max(newest.c.created_at).label("last"))
    rows = db.session.execute(
        kinds.where(newest.c.created_at >= since).group_by(*columns).order_by(count.desc())
    ).all()
    looked_at = sum(row.number for row in rows)
    return {
        "total": looked_at,
        "isWhole": looked_at < NEWEST,
        "kinds": [
            {
                "status": row.status,
                "reason": row.reason,
                "finishReason": row.finish_reason,
                "count": row.number,
                "lastAt": timestamp(row.last),
            }
            for row in rows[:MOST_KINDS]
        ],
    }


def count_host_errors() -> dict[str, list[dict[str, Any]]]:
    """Return the errors that this host's workers have counted since their start or reload."""
    counts: dict[str, Counter[tuple[str, ...]]] = {name: Counter() for name in COUNTED}
    for metric in metrics_registry().collect():
        for sample in metric.samples:
            names, is_error = COUNTED.get(sample.name, ((), None))
            if is_error and is_error(sample.labels) and sample.value:
                kind = tuple(sample.labels[name] for name in names)
                counts[sample.name][kind] += int(sample.value)
    turns, calls, requests = (_most_frequent(name, counts[name]) for name in COUNTED)
    return {"turns": turns, "upstreamCalls": calls, "requests": requests}


def _most_frequent(metric: str, counts: Counter[tuple[str, ...]]) -> list[dict[str, Any]]:
    labels = COUNTED[metric][0]
    listed = counts.most_common(MOST_KINDS)
    return [{**dict(zip(labels, kind, strict=True)), "count": n} for kind, n in listed]
