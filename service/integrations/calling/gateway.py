"""Gateway mode: another instance makes the calls, with the bearer that the billing mode picks.

With user billing it is the caller's own: the other instance keeps jobs, idempotency keys and
connections under the caller's name. A limited token for chats becomes one for calls. With developer
billing it is the owner's bearer, shared by all users: this instance then makes keys distinct for
each caller, and records which job belongs to whom.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

from config import Settings
from service.auth.permits import Permit
from service.auth.tokens import issue_limited
from service.auth.users import Caller
from service.database.access import write_transaction
from service.integrations.calling.jobs_elsewhere import JobsElsewhere
from service.integrations.calling.time_limit import call_seconds
from service.integrations.calling.user_limits import UserLimits
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.faults import failure_of
from service.integrations.declare.path import has_dot_segment, path_of
from service.integrations.declare.payload import parse
from service.integrations.declare.task import LONGEST_WAIT
from service.integrations.inbound import CallNote, Inbound, ProxyResponse
from service.outbound.stream import UpstreamError, read_all
from service.outbound.upstream import Outbound, Upstream
from service.web.errors import (
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    UpstreamFailed,
    UpstreamTimedOut,
)

ANSWER_BYTES = 32 << 20
ANSWER_SECONDS = 75.0  # of other routes: the state of a job may take a request to the vendor
QUIET_SECONDS = 10.0  # after a timeout, in which `status_soon` sends no request
PASSED_HEADERS = ("Retry-After", "Age", "X-Cache")  # of its answers
NOT_COUNTED = "A token with a limit of credits can't be used for this: make one without `credits`."
NOT_SHARED = "Can't be continued through a gateway that bills the app's owner."


class TokenRefused(UpstreamFailed):
    """The other instance regards the token as invalid. It has done nothing."""


class Gateway:
    """The other instance. Every method needs an app context and raises `ServiceError`."""

    def __init__(
        self, upstream: Upstream, settings: Settings, jobs: JobsElsewhere, limits: UserLimits
    ) -> None:
        self._upstream, self._settings = upstream, settings
        self._jobs, self._limits = jobs, limits
        self._base = settings.integrations_gateway_url or ""
        self._owner_token = settings.owner_token or ""
        self._quiet_until = 0.0  # monotonic

    def call_as_caller(self, endpoint: Endpoint, request: Inbound) -> ProxyResponse:
        """Return the answer to a call with the caller's token, as user billing requires."""
        permit = _limit_of_credits(endpoint, request.caller)
        if permit and permit.scope == "chat":  # which is used up here, by turns
            raise Forbidden(NOT_COUNTED)
        bearer = self._bearer(request.caller, request.token)
        return self._call(endpoint, request, bearer, request.idempotency_key)

    def call_as_owner(self, endpoint: Endpoint, request: Inbound) -> ProxyResponse:
        """Return the answer to a call with the owner's token, as developer billing requires."""
        subject = request.caller.subject
        if endpoint.continues and request.body.get(endpoint.continues) is not None:
            # At the other instance every task is the owner's, whoever has begun it.
            raise InvalidRequest(details={endpoint.continues: [NOT_SHARED]})
        if _limit_of_credits(endpoint, request.caller):  # unknown at the other instance
            raise Forbidden(NOT_COUNTED)
        counted = nullcontext() if request.again else self._limits.counting(subject, endpoint)
        with counted:  # the other instance has no limits for the owner
            result = self._call(endpoint, request, self._owner_token, _key_of_caller(request))
        self._jobs.adopt(subject, endpoint, result)
        return result

    def _call(
        self, endpoint: Endpoint, request: Inbound, bearer: str, key: str | None
    ) -> ProxyResponse:
        path = f"/api/integrations/{endpoint.name}"
        seconds = call_seconds(endpoint) + (LONGEST_WAIT if endpoint.job else 0)
        headers = {
            "Idempotency-Key": key,
            "X-Approval": request.approval,
            "X-Door": request.door,  # it accepts the value that clients may send
            "X-Request-Id": request.request_id,
            "Cache-Control": "no-cache" if request.fresh else None,
        }
        body = dict(request.body)
        return _send_with_note(
            request.note,
            lambda: _checked(self._send("POST", path, bearer, seconds, headers, body)),
        )

    def job(self, caller: Caller, token: str, job_id: str) -> ProxyResponse | None:
        """Return the state of a job there, or None for a job begun here without a gateway."""
        if has_dot_segment(job_id):
            raise NotFound()
        known = self._jobs.find(caller.subject, job_id)
        if known and not known.is_elsewhere:
            return None
        path = path_of("/api/integrations/jobs/{id}", id=job_id)
        bearer = self._owner_token if known else self._bearer(caller, token)
        result = _checked(self._send("GET", path, bearer))
        self._jobs.note_end(caller.subject, job_id, result)
        return result

    def status(self, caller: Caller, token: str, seconds: float = ANSWER_SECONDS) -> ProxyResponse:
        """Return the caller's connections, which are always in the caller's own name."""
        bearer = self._bearer(caller, token)
        result = self._send("GET", "/api/integrations/status", bearer, seconds)
        if result.status != 200:
            return _checked(result)
        if not all(isinstance(one, dict) for one in result.envelope.values()):
            raise UpstreamFailed(upstreamStatus=200)
        return result

    def status_soon(self, caller: Caller, token: str, seconds: float) -> ProxyResponse:
        """Return the status within `seconds`, for a caller that can't wait.

        While the other instance hangs, only one request in `QUIET_SECONDS` waits for it. The others
        raise `UpstreamTimedOut` at once, because the waits of one turn would add up.
        """
        if time.monotonic() < self._quiet_until:
            raise UpstreamTimedOut()
        try:
            return self.status(caller, token, seconds)
        except UpstreamTimedOut:
            self._quiet_until = time.monotonic() + QUIET_SECONDS
            raise

    def disconnect(self, token: str, integration: str) -> ProxyResponse:
        path = path_of("/api/integrations/oauth/{name}/disconnect", name=integration)
        return _checked(self._send("DELETE", path, token))

    def _bearer(self, caller: Caller, token: str) -> str:
        """Return the caller's token for the other instance.

        A token for chats may make the calls of a turn here, but the other instance sees only calls.
        So it becomes a token for calls with the same limits and the same expiry.
        """
        permit = caller.permit
        if permit is None or permit.scope != "chat":
            return token
        for_calls = replace(permit, scope="calls")
        return issue_limited(
            self._settings, caller.subject, caller.claimed_role, caller.issued, for_calls
        )

    def _send(
        self,
        method: str,
        path: str,
        bearer: str,
        seconds: float = ANSWER_SECONDS,
        headers: Mapping[str, str | None] | None = None,
        body: Any = None,
    ) -> ProxyResponse:
        """Send a request and return its answer, a JSON object."""
        all_headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
        all_headers |= {name: value for name, value in (headers or {}).items() if value}
        sent = None if body is None else json.dumps(body).encode()
        url = f"{self._base}{path}"
        outbound = Outbound("gateway", method, url, all_headers, sent, idle=None, whole=seconds)
        try:
            with self._upstream.open(outbound) as stream:
                raw, status = read_all(stream, ANSWER_BYTES), stream.status
                own = stream.headers
        except UpstreamError as error:
            raise failure_of(error) from None
        envelope = parse(raw)  # lets others run meanwhile, which does not make the answer late
        if envelope is None:
            raise UpstreamFailed(upstreamStatus=None)
        if status == 401:
            raise TokenRefused(upstreamStatus=status)
        if 300 <= status < 400 or not isinstance(envelope, dict):
            raise UpstreamFailed(upstreamStatus=status)
        passed = {name: own[name] for name in PASSED_HEADERS if name in own}
        return ProxyResponse(status, envelope, passed)


def _send_with_note(note: CallNote | None, send: Callable[[], ProxyResponse]) -> ProxyResponse:
    """Send a call. Note that it is sent, and how it has ended."""
    if note is None:
        return send()
    _store(note.leave)
    try:
        result = send()
    except TokenRefused:
        _store(note.withdraw)
        raise
    _complete(note, result)
    return result


def _complete(note: CallNote, result: ProxyResponse) -> None:
    """Note how the call has ended, unless the answer does not tell it, as a 409 or a 5xx."""
    if result.is_payload or (400 <= result.status < 500 and result.status != Conflict.status):
        _store(note.withdraw)
    elif result.status < 400:
        _store(note.end)


def _store(write: Callable[[Session], None]) -> None:
    with write_transaction() as session:
        write(session)


def _checked(result: ProxyResponse) -> ProxyResponse:
    """Return an answer. Raises `UpstreamFailed` if it has no envelope."""
    if not isinstance(result.envelope.get("success"), bool):
        raise UpstreamFailed(upstreamStatus=result.status)
    return result


def _key_of_caller(request: Inbound) -> str | None:
    """Return a key that differs by caller, because all callers share the owner's token."""
    if request.idempotency_key is None:
        return None
    facts = [request.caller.subject, request.idempotency_key]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _limit_of_credits(endpoint: Endpoint, caller: Caller) -> Permit | None:
    """Return the caller's permit if it limits the credits of this call."""
    permit = caller.permit
    is_limited = permit is not None and permit.credits is not None and endpoint.max_credits
    return permit if is_limited else None
