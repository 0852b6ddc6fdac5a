"""`/api/admin`: the integrations, the errors, and facts about the service; all read-only.

Source: docs/contract.md, section 18.
"""

from typing import Any

from flask import Blueprint, current_app
from sqlalchemy import func, select

from service.admin import calls, failures, health, today
from service.admin.answers import (
    ErrorsSchema,
    HoursQuery,
    IntegrationsSchema,
    ServiceSchema,
    TodaySchema,
)
from service.app_keys import APP_SETTINGS
from service.auth import bearer
from service.chat import claims
from service.chat.models import Lease
from service.database.revisions import is_migrated, newest_revision, stored_revision
from service.extensions import db
from service.release import VERSION
from service.times import now, timestamp
from service.web.edge import answers, query

state = Blueprint("admin_state", __name__, url_prefix="/api/admin")
state.before_request(bearer.require_admin)


@state.get("/integrations")
@query(HoursQuery())
@answers(IntegrationsSchema())
def list_integrations(params: dict[str, Any]) -> dict[str, Any]:
    """Each integration: who pays, which setting its vendors lack, its breaker, its calls

    `configured` is how many of its `endpoints` can be called. A breaker is `open` while nothing is
    sent, and in `trial` when the next call tries whether the vendor is back. `calls` are those of
    the last `hours`, of the newest 10 000. `grants` are users' connections; for those that are
    `failing`, the last refresh has failed.
    """
    hours = params["hours"]
    return {"hours": hours, "integrations": health.integrations(hours)}


@state.get("/errors")
@query(HoursQuery())
@answers(ErrorsSchema())
def list_errors(params: dict[str, Any]) -> dict[str, Any]:
    """How replies and calls have ended, and the errors that this host has counted

    `turns` and `calls` are those of the last `hours`, of the newest 10 000. A failed reply stores
    nothing: it is counted in `host`, by the workers of the answering host since their start.
    """
    hours = params["hours"]
    stored = {"turns": failures.count_turn_endings(hours), "calls": calls.errors(hours)}
    return {"hours": hours, **stored, "host": failures.count_host_errors()}


@state.get("/today")
@answers(TodaySchema())
def describe_today() -> dict[str, Any]:
    """Users, replies and calls since midnight UTC, and what was spent on them

    `turns` and `calls` are of the newest 10 000 each: `isWhole` says whether these were all. The
    cost of failed replies is not included.
    """
    return today.numbers()


@state.get("/service")
@answers(ServiceSchema())
def describe_service() -> dict[str, Any]:
    """The release, its database, and its workers

    `workers.configured` is the answering host's. `answering` are the workers of all hosts that
    have answered messages in the last seconds.
    """
    settings = APP_SETTINGS.of(current_app)
    current = stored_revision()
    database = {
        "kind": db.engine.dialect.name,
        "revision": current,
        "newest": newest_revision(),
        "migrated": is_migrated(current),
    }
    live = select(func.count()).select_from(Lease).where(~claims.has_lapsed())
    workers = {"configured": settings.web_concurrency, "answering": db.session.scalar(live) or 0}
    facts = {"version": VERSION, "sandbox": settings.sandbox, "time": timestamp(now())}
    return {**facts, "database": database, "workers": workers}
