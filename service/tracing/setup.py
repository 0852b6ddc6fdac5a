"""Turn traces on for an app."""

import os

from flask import Flask

from config import Settings
from service.lifecycle import LIFECYCLE
from service.observing import spans
from service.outbound.upstream import UPSTREAM
from service.tracing.encoding import batch
from service.tracing.exporter import Exporter
from service.tracing.tracer import Recorder

SCOPE = "service"


def init_app(app: Flask, settings: Settings) -> None:
    """Record the spans of this process, and send them to the configured collector."""
    name = settings.otel_service_name
    resource = {"service.name": name, "service.instance.id": settings.instance}
    exporter = Exporter(
        UPSTREAM.of(app),
        f"{settings.otel_exporter_otlp_endpoint}/v1/traces",
        dict(settings.otel_exporter_otlp_headers),
        lambda ended: batch(ended, {**resource, "process.pid": os.getpid()}, SCOPE),
    )
    lifecycle = LIFECYCLE.of(app)
    lifecycle.on_drain(exporter.end)
    lifecycle.ends_after(lambda: exporter.is_empty)
    spans.record_with(Recorder(exporter.add, settings.otel_content))
