"""Gateway mode: another instance makes the calls, with the bearer that the billing mode picks."""

import json

from service.errors import UpstreamFailed
from service.integrations.catalog import Endpoint
from service.integrations.faults import failure_of
from service.integrations.jobs import LONGEST_WAIT
from service.integrations.way import Request, Told
from service.upstream import Outbound, Upstream, UpstreamError, read_all

BYTES = 32 << 20
MARGIN = 5.0  # seconds, on top of the endpoint's own


def forward(
    upstream: Upstream, base: str, endpoint: Endpoint, request: Request, bearer: str
) -> Told:
    """What the other instance tells. Raises `ServiceError`."""
    headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
    named = {
        "Idempotency-Key": request.idempotency_key,
        "X-Approval": request.approval,
        "X-Request-Id": request.request_id,
    }
    headers |= {name: value for name, value in named.items() if value}
    body = json.dumps(dict(request.body)).encode()
    url = f"{base}/api/integrations/{endpoint.name}"
    seconds = endpoint.seconds + MARGIN + (LONGEST_WAIT if endpoint.job else 0)
    outbound = Outbound("gateway", "POST", url, headers, body, idle=None, whole=seconds)
    try:
        with upstream.open(outbound) as stream:
            envelope = json.loads(read_all(stream, BYTES))
            status, waits = stream.status, stream.headers.get("Retry-After")
    except UpstreamError as error:
        raise failure_of(error) from None
    except (ValueError, RecursionError):
        raise UpstreamFailed(upstreamStatus=None) from None
    ours = isinstance(envelope, dict) and isinstance(envelope.get("success"), bool)
    if not ours or status == 401 or 300 <= status < 400:
        raise UpstreamFailed(upstreamStatus=status)
    return Told(status, envelope, {"Retry-After": waits} if waits else {})
