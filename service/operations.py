"""For operators: health, readiness, metrics, and the OpenAPI document."""

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
    try:
        with db.engine.connect() as connection:
            connection.execute(text("SELECT 1"))
            current = MigrationContext.configure(connection).get_current_revision()
    except SQLAlchemyError:
        return {"database": False, "migrations": False, "accepting": False}
    draining = current_app.extensions["lifecycle"].draining
    return {
        "database": True,
        "migrations": current == migrations_head(),
        "accepting": not draining,
    }


def migrations_head() -> str | None:
    """The newest revision in the source tree."""
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    return ScriptDirectory.from_config(config).get_current_head()
