"""Routes for operators: health, readiness, metrics, and the OpenAPI document."""

from typing import Any

import gevent
from flask import Blueprint, Response, current_app, jsonify, request
from gevent.lock import BoundedSemaphore
from marshmallow import Schema, fields
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from sqlalchemy.exc import SQLAlchemyError

from service.app_keys import AppKey
from service.database import probe
from service.database.revisions import is_migrated, stored_revision
from service.lifecycle import LIFECYCLE
from service.observing import scrape
from service.observing.sampler import SAMPLER
from service.web.conditional import conditional
from service.web.edge import answers
from service.web.openapi import document

READY_SECONDS = 1.5  # for all checks together

DOCUMENT = AppKey[bytes]("openapi")
_making = BoundedSemaphore(1)  # held while the OpenAPI document is made

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
    """Check that the process answers"""
    return {"status": "ok"}


@operations.get("/readyz")
@answers(None, answer_schema=ReadinessSchema(), others={503: UNREADY})
def readiness() -> tuple[Response, int]:
    """Check that the service can take traffic: 200, or 503 with the result of each check"""
    checks = _checks()
    is_ready = all(checks.values())
    body: dict[str, Any] = {"status": "ok" if is_ready else "not ready", **checks}
    return jsonify(body), 200 if is_ready else 503


@operations.get("/metrics")
@answers(None, media_type="text/plain")
def metrics() -> Response:
    """Return the metrics of all workers for Prometheus"""
    SAMPLER.of(current_app).sample()
    figures = generate_latest(scrape.registry(scrape.COLLECTORS.of(current_app)))
    return Response(figures, content_type=CONTENT_TYPE_LATEST)


@operations.get("/openapi.json")
@answers(
    None,
    answer_schema={"type": "object", "required": ["openapi", "paths"]},
    others={304: {}},
    gives={"ETag": {"schema": {"type": "string"}, "required": True}},
)
def openapi() -> Response:
    """Return this document

    If `If-None-Match` has the `ETag` of an earlier answer, an unchanged document gives 304.
    """
    return conditional(Response(_openapi(), content_type="application/json"), request)


def _openapi() -> bytes:
    """Return the document, which is large and is made once for the process.

    Other requests run meanwhile. Without the lock, each of them would make a document of its own.
    """
    with _making:
        made = DOCUMENT.get(current_app)
        return made or DOCUMENT.set(current_app, jsonify(document(current_app)).get_data())


def _checks() -> dict[str, bool]:
    """Run the checks within `READY_SECONDS`. If SQLite hangs on its disk, everything is blocked."""
    draining = LIFECYCLE.of(current_app).draining
    try:
        with gevent.Timeout(READY_SECONDS):
            has_schema = is_migrated(stored_revision())
            if has_schema:
                probe.write()
    except (SQLAlchemyError, gevent.Timeout):
        return {"database": False, "migrations": False, "accepting": not draining}
    return {"database": True, "migrations": has_schema, "accepting": not draining}
