"""For operators: health, readiness, metrics, and the OpenAPI document."""

from datetime import datetime
from functools import cache
from typing import Any

import gevent
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from flask import Blueprint, Response, current_app, jsonify
from marshmallow import Schema, fields
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from sqlalchemy import select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Mapped, mapped_column

from config import ROOT
from service.clock import current_time
from service.database import write_transaction
from service.edge import answers
from service.extensions import db
from service.observe import metrics_registry
from service.openapi import document

READY_SECONDS = 1.5  # for all checks together

operations = Blueprint("operations", __name__)


class Probe(db.Model):  # type: ignore[name-defined,misc]
    """The one row that the readiness check writes."""

    __tablename__ = "probes"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    written_at: Mapped[datetime | None]


class StatusSchema(Schema):
    status = fields.String(required=True)


class ReadinessSchema(StatusSchema):
    database = fields.Boolean(required=True)
    migrations = fields.Boolean(required=True)
    accepting = fields.Boolean(required=True)


UNREADY = {"application/json": ReadinessSchema()}


@operations.get("/healthz")
@answers(StatusSchema())
def health() -> dict[str, str]:
    """The process answers"""
    return {"status": "ok"}


@operations.get("/readyz")
@answers(None, answer_schema=ReadinessSchema(), others={503: UNREADY})
def readiness() -> tuple[Response, int]:
    """The service can take traffic: 200, otherwise 503 with what is missing"""
    checks = _checks()
    ready = all(checks.values())
    body: dict[str, Any] = {"status": "ok" if ready else "not ready", **checks}
    return jsonify(body), 200 if ready else 503


@operations.get("/metrics")
@answers(None, media_type="text/plain")
def metrics() -> Response:
    """Figures for Prometheus, over all workers"""
    return Response(generate_latest(metrics_registry()), content_type=CONTENT_TYPE_LATEST)


@operations.get("/openapi.json")
@answers(None, answer_schema={"type": "object", "required": ["openapi", "paths"]})
def openapi() -> Response:
    """This document"""
    return jsonify(document(current_app))


def _checks() -> dict[str, bool]:
    """The checks, in bounded time. Only a disk on which SQLite hangs stops them (and all else)."""
    draining = current_app.extensions["lifecycle"].draining
    try:
        with gevent.Timeout(READY_SECONDS):
            is_migrated = migrated(_revision())
            if is_migrated:
                _write()
    except (SQLAlchemyError, gevent.Timeout):
        return {"database": False, "migrations": False, "accepting": not draining}
    return {"database": True, "migrations": is_migrated, "accepting": not draining}


def _revision() -> str | None:
    with db.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def _write() -> None:
    """Write the one row, unless another worker is writing it: that one may stand still."""
    free = select(Probe.id).with_for_update(skip_locked=True)
    with write_transaction() as session:
        for number in session.scalars(free).all():
            session.execute(update(Probe).filter_by(id=number).values(written_at=current_time()))


def migrated(current: str | None) -> bool:
    """Whether a database at the revision `current` has all that this release needs.

    An unknown revision is a later release's, which only adds to the database.
    """
    known = revisions()[1]
    return current == migrations_head() or (current is not None and current not in known)


def migrations_head() -> str | None:
    return revisions()[0]


@cache
def revisions() -> tuple[str | None, frozenset[str]]:
    """This release's newest revision, and all revisions that it knows.

    Read once, when the process starts: the tree may be replaced while it runs.
    """
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    scripts = ScriptDirectory.from_config(config)
    known = frozenset(script.revision for script in scripts.walk_revisions())
    return scripts.get_current_head(), known
