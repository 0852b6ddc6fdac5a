"""The beginning and the end of a request: its id, its span, its metrics and its log line."""

import re
import time
from typing import Any

from flask import Request, Response
from gevent import GreenletExit

from service.app import Service
from service.current_request import current_g, current_request
from service.ids import random_hex
from service.observing import attribution, measures, spans
from service.observing.logs import log_info

UNTRACED = ("/healthz", "/readyz", "/metrics")  # machines request these all the time
REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT")
OTHER_METHOD = "_OTHER"  # as OpenTelemetry names it


def init_app(app: Service) -> None:
    app.check_requests(_begin)
    app.finish_responses(_end)
    app.teardown_request(_log_killed)


def _begin(_: Service, request: Request, g: Any) -> None:
    client_id = request.environ.get("HTTP_X_REQUEST_ID", "")
    g.request_id = client_id if REQUEST_ID.fullmatch(client_id) else random_hex()
    g.began = time.perf_counter()
    route = _route(request)
    attribution.begin(request_id=g.request_id, route=route)
    g.span = _span(request, route)


def _span(request: Request, route: str) -> spans.Span:
    """Begin the span of a request, without its query and its path, which may be private."""
    if route in UNTRACED or not spans.are_recorded():
        return spans.NO_SPAN
    method = _method(request)
    span = spans.start_request(f"{method} {route}", request.headers.get("traceparent", ""))
    span.set(http__request__method=method, http__route=route, url__scheme=request.scheme)
    return span


def _method(request: Request) -> str:
    """Return the method as a label. Each invented one would make new time series."""
    return request.method if request.method in METHODS else OTHER_METHOD


def _route(request: Request) -> str:
    """Return the route's pattern. With paths as labels, each chat would make new time series."""
    rule = request.url_rule
    return rule.rule if rule else "unmatched"


def _end(_: Service, request: Request, g: Any, response: Response) -> None:
    """Set the header now; log and count when the last byte has been handed to the server."""
    request_id, began, span = g.request_id, g.began, g.span
    response.headers["X-Request-Id"] = request_id
    route, method = _route(request), _method(request)
    facts: dict[str, Any] = {
        "method": request.method,
        "route": route,
        "status": response.status_code,
    }

    @response.call_on_close
    def on_close() -> None:
        seconds = time.perf_counter() - began
        measures.answered_requests(method, route, facts["status"]).inc()
        measures.time_of_request(route).observe(seconds)
        span.set(http__response__status_code=facts["status"])
        if facts["status"] >= 500:
            span.fail(str(facts["status"]))
        span.end()
        log_info("answered", **facts, request_id=request_id, ms=round(seconds * 1000, 1))


def _log_killed(error: BaseException | None) -> None:
    """Log a request that its worker kills at the end of the grace time.

    It gets no answer, and so no other log line.
    """
    if isinstance(error, GreenletExit):
        request, g = current_request(), current_g()
        ms = round((time.perf_counter() - g.began) * 1000, 1)
        g.span.fail("killed")
        g.span.end()
        facts = {"method": request.method, "route": _route(request), "request_id": g.request_id}
        log_info("killed", **facts, ms=ms)
