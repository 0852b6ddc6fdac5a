"""Gateway mode: another instance makes the calls, with the bearer that the billing mode picks.

Under user billing that is the caller's own: jobs, idempotency keys and connections are kept there,
under the caller's name. Under developer billing it is the owner's, whom all users share there: so
whose key and whose job it is, is settled here.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from service.auth.users import Caller
from service.errors import InvalidRequest, UpstreamFailed
from service.integrations.call import path_of
from service.integrations.catalog import Endpoint
from service.integrations.faults import failure_of
from service.integrations.jobs import LONGEST_WAIT, Jobs
from service.integrations.way import Request, Told
from service.upstream import Outbound, Upstream, UpstreamError, read_all

BYTES = 32 << 20
MARGIN = 5.0  # seconds, on top of the endpoint's own
SECONDS = 75.0  # for what is no call of an endpoint: a job's state asks its vendor
JOB_ID_LIMIT = 64
NOT_SHARED = "Can't be continued through a gateway that bills the app's owner."


class Gateway:
    """The other instance. Every method needs an app context and raises `ServiceError`."""

    def __init__(self, upstream: Upstream, base: str, owner_token: str, jobs: Jobs) -> None:
        self._upstream, self._base = upstream, base
        self._owner_token, self._jobs = owner_token, jobs

    def call(self, endpoint: Endpoint, request: Request, shared: bool) -> Told:
        """What the other instance tells; `shared` is under developer billing."""
        if shared:
            _check_own(endpoint, request.body)
        told = self._ask(
            "POST",
            f"/api/integrations/{endpoint.name}",
            self._owner_token if shared else request.token,
            endpoint.seconds + MARGIN + (LONGEST_WAIT if endpoint.job else 0),
            {
                "Idempotency-Key": _key(request, shared),
                "X-Approval": request.approval,
                "X-Request-Id": request.request_id,
            },
            dict(request.body),
        )
        if shared and (job_id := _job_of(endpoint, told)):
            self._jobs.adopt(request.caller.subject, endpoint, job_id)
        return told

    def job(self, caller: Caller, token: str, job_id: str) -> Told | None:
        """A job that is kept there; None for one that was begun here, without a gateway."""
        known = self._jobs.find(caller.subject, job_id)
        if known and not known.is_elsewhere:
            return None
        path = path_of("/api/integrations/jobs/{id}", id=job_id)
        return self._ask("GET", path, self._owner_token if known else token)

    def status(self, token: str) -> Told:
        """The caller's connections, which are always their own."""
        told = self._ask("GET", "/api/integrations/status", token, plain=True)
        connections = told.envelope.values()
        if told.status == 200 and not all(isinstance(one, dict) for one in connections):
            raise UpstreamFailed(upstreamStatus=200)
        return told

    def disconnect(self, token: str, integration: str) -> Told:
        path = path_of("/api/integrations/oauth/{name}/disconnect", name=integration)
        return self._ask("DELETE", path, token)

    def _ask(
        self,
        method: str,
        path: str,
        bearer: str,
        seconds: float = SECONDS,
        named: Mapping[str, str | None] | None = None,
        body: Any = None,
        plain: bool = False,
    ) -> Told:
        """`plain` is for an answer that bears no envelope."""
        headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
        headers |= {name: value for name, value in (named or {}).items() if value}
        sent = None if body is None else json.dumps(body).encode()
        url = f"{self._base}{path}"
        outbound = Outbound("gateway", method, url, headers, sent, idle=None, whole=seconds)
        try:
            with self._upstream.open(outbound) as stream:
                envelope = json.loads(read_all(stream, BYTES))
                status, waits = stream.status, stream.headers.get("Retry-After")
        except UpstreamError as error:
            raise failure_of(error) from None
        except (ValueError, RecursionError):
            raise UpstreamFailed(upstreamStatus=None) from None
        if status == 401 or 300 <= status < 400 or not _is_ours(envelope, plain and status == 200):
            raise UpstreamFailed(upstreamStatus=status)
        return Told(status, envelope, {"Retry-After": waits} if waits else {})


def _is_ours(envelope: Any, plain: bool) -> bool:
    return isinstance(envelope, dict) and (plain or isinstance(envelope.get("success"), bool))


def _key(request: Request, shared: bool) -> str | None:
    """The key as it is there: among all users' keys, only the caller's own can be this one."""
    key = request.idempotency_key
    if key is None or not shared:
        return key
    return hashlib.sha256(json.dumps([request.caller.subject, key]).encode()).hexdigest()


def _check_own(endpoint: Endpoint, body: Mapping[str, Any]) -> None:
    """There, every user's task is the owner's."""
    if endpoint.continues and body.get(endpoint.continues) is not None:
        raise InvalidRequest(details={endpoint.continues: [NOT_SHARED]})


def _job_of(endpoint: Endpoint, told: Told) -> str | None:
    data = told.envelope.get("data")
    job_id = data.get("jobId") if endpoint.job and isinstance(data, dict) else None
    usable = isinstance(job_id, str) and 0 < len(job_id) <= JOB_ID_LIMIT and job_id.isprintable()
    return job_id if usable else None
