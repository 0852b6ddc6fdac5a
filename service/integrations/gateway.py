"""Gateway mode: another instance makes the calls, with the bearer that the billing mode picks."""

import json
from typing import Any

import gevent

from service.errors import UpstreamFailed, UpstreamTimedOut
from service.integrations.catalog import Endpoint
from service.integrations.faults import failure_of
from service.integrations.way import Request
from service.upstream import Outbound, Upstream, UpstreamError

BYTES = 32 << 20
MARGIN = 5.0  # seconds, on top of the endpoint's own


def forward(
    upstream: Upstream, base: str, endpoint: Endpoint, request: Request, bearer: str
) -> tuple[int, Any]:
    """Status and envelope as the other instance gives them. Raises `ServiceError`."""
    headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
    named = {
        "Idempotency-Key": request.idempotency_key,
        "X-Approval": request.approval,
        "X-Request-Id": request.request_id,
    }
    headers |= {name: value for name, value in named.items() if value}
    body = json.dumps(dict(request.body)).encode()
    url = f"{base}/api/integrations/{endpoint.name}"
    outbound = Outbound("gateway", "POST", url, headers, body, idle=None)
    limit = gevent.Timeout(endpoint.seconds + MARGIN)
    try:
        with limit:
            status, answered = upstream.fetch(outbound, BYTES)
            envelope = json.loads(answered)
    except gevent.Timeout as expired:
        if expired is not limit:
            raise
        raise UpstreamTimedOut() from None
    except UpstreamError as error:
        raise failure_of(error) from None
    except ValueError:
        raise UpstreamFailed(upstreamStatus=None) from None
    if status == 401 or not isinstance(envelope, dict) or "success" not in envelope:
        raise UpstreamFailed(upstreamStatus=status)
    return status, envelope
