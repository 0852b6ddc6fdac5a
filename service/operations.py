"""For operators: health, readiness, metrics, and the OpenAPI document."""

from functools import cache
from typing import Any

from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from flask import Blueprint, Response, current_app, jsonify
from marshmallow import Schema, fields
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from config import ROOT
from service.edge import answers
from service.extensions import db
from service.observe import metrics_registry
from service.openapi import document

operations = Blueprint("operations", __name__)


class StatusSchema(Schema):
    status = fields.String(required=True)


class ReadinessSchema(StatusSchema):
    database = fields.Boolean(required=True)
    migrations = fields.Boolean(required=True)
    accepting = fields.Boolean(required=True)


@operations.get("/healthz")
@answers(StatusSchema())
def health() -> dict[str, str]:
    """The process answers"""
    return {"status": "ok"}


@operations.get("/readyz")
@answers(None, media_type="application/json", answer_schema=ReadinessSchema())
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
@answers(None, media_type="application/json")
def openapi() -> Response:
    """This document"""
    return jsonify(document(current_app))


def _checks() -> dict[str, bool]:
    try:
        with db.engine.connect() as connection:
            connection.execute(text("SELECT 1"))
            current = MigrationContext.configure(connection).get_current_revision()
    except SQLAlchemyError:
        return {"database": False, "migrations": False, "accepting": False}
    draining = current_app.extensions["lifecycle"].draining
    return {
        "database": True,
        "migrations": migrated(current),
        "accepting": not draining,
    }


def migrated(current: str | None) -> bool:
    """Whether a database at that revision has all that this release needs.

    A revision that this release does not know is of a later one: those only add.
    """
    known = revisions()[1]
    return current == migrations_head() or (current is not None and current not in known)


def migrations_head() -> str | None:
    return revisions()[0]


@cache
def revisions() -> tuple[str | None, frozenset[str]]:
    """This release's newest revision, and all it knows.

    Read once, when the process starts: the tree may be replaced while it runs.
    """
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    scripts = ScriptDirectory.from_config(config)
    known = frozenset(script.revision for script in scripts.walk_revisions())
    return scripts.get_current_head(), known
