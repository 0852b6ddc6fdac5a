"""The steps of a call: look up, choose the bearer, grant, validate, hold, request, settle.

A kept answer is given before credits are held.

Source: docs/contract.md, section 10.
"""

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from flask import Flask

from service.app_keys import APP_SETTINGS, AppKey
from service.auth import permits
from service.auth.users import Caller
from service.database.batching import SharedWrites
from service.generation.completion import MODELS
from service.integrations.calling.admission import Admitted, validate_parameters
from service.integrations.calling.attempt import Attempt
from service.integrations.calling.call_log import (
    CALL_ROWS,
    CallFacts,
    CallOutcome,
    LoggedCall,
    LoggedRows,
    outcome_elsewhere,
)
from service.integrations.calling.call_media import CallMedia
from service.integrations.calling.charging import GRACE_SECONDS, Charging
from service.integrations.calling.gateway import Gateway
from service.integrations.calling.idempotency import KeyLease
from service.integrations.calling.jobs import Jobs
from service.integrations.calling.jobs_elsewhere import JobsElsewhere
from service.integrations.calling.kept_answers import Kept, KeptAnswers, key_of
from service.integrations.calling.lease_renewal import LeaseRenewal
from service.integrations.calling.lookups import Lookup, Lookups
from service.integrations.calling.user_limits import UserLimits
from service.integrations.calling.vendor_calls import VendorCalls
from service.integrations.consent.connections import Connections
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.setting import SANDBOX_URL
from service.integrations.declare.task import Task
from service.integrations.inbound import Answer, Inbound, ProxyResponse
from service.integrations.models import IntegrationJob
from service.lifecycle import LIFECYCLE
from service.limits.concurrency import CONCURRENCY
from service.observing import attribution
from service.outbound.upstream import UPSTREAM
from service.sealing.seal import Sealer
from service.web.errors import NotFound
from service.web.json_values import encode

PROXY = AppKey["Proxy"]("proxy")


class Proxy:
    """This worker's proxy. Every method needs an app context."""

    def __init__(self, app: Flask, catalog: Catalog, sealer: Sealer) -> None:
        self.catalog = catalog
        self._app, self._sealer = app, sealer
        self._settings = APP_SETTINGS.of(app)
        self.charging = Charging(app)
        self.connections = Connections(app, catalog, sealer)
        self.calls = VendorCalls(app, self._settings.instance)
        self.jobs = Jobs(
            sealer,
            self.connections,
            self.calls.call,
            self.calls.media,
            lambda: LIFECYCLE.of(app).draining,
            CALL_ROWS.of(app),
        )
        self._limits = UserLimits(app)
        self._renewal = LeaseRenewal(app)
        self.gateway: Gateway | None = None
        if self._settings.integrations_gateway_url:
            elsewhere = JobsElsewhere(self.jobs, self._renewal.store_later)
            self.gateway = Gateway(UPSTREAM.of(app), self._settings, elsewhere, self._limits)
        writes = SharedWrites(app)
        self._rows = LoggedRows(CALL_ROWS.of(app), writes)
        self._lookups = Lookups(KeptAnswers(app, sealer, writes))

    def call(self, request: Inbound) -> ProxyResponse:
        """Call an endpoint, or the other instance in gateway mode. Raises `ServiceError`."""
        endpoint = self.catalog.named(request.endpoint)
        attribution.bind(endpoint=endpoint.name)
        limits = CONCURRENCY.of(self._app)
        ticket = limits.call(request.caller.subject, endpoint.vendor.integration)
        with ticket, self._start_log(endpoint, request) as logged:
            permits.check_endpoint(request.caller.permit, endpoint.name)
            if self.gateway:
                is_owners = self.charging.paid_by(endpoint) == "owner"
                call = self.gateway.call_as_owner if is_owners else self.gateway.call_as_caller
                response = call(endpoint, request)
                logged.end(outcome_elsewhere(response))
                return response
            answer = self._answer(endpoint, request, logged)
            logged.end(CallOutcome("consent" if answer.consent else "succeeded"))
            return answer.response()

    def _start_log(self, endpoint: Endpoint, request: Inbound) -> LoggedCall:
        facts = CallFacts(
            user_id=request.caller.subject,
            endpoint=endpoint.name,
            integration=endpoint.vendor.integration,
            billing=self.charging.billing(endpoint),
            door=request.door or "http",
            approval=request.approval,
        )
        return LoggedCall(self._rows, facts)

    def job(
        self, caller: Caller, token: str, job_id: str, browser: str | None = None
    ) -> ProxyResponse:
        """Return the state of one of the caller's own jobs. Raises `ServiceError`.

        A limited token sees only the jobs of its endpoints.
        """
        known = self.jobs.find(caller.subject, job_id) if caller.permit else None
        if known and caller.permit and not caller.permit.allows(known.endpoint):
            raise NotFound()
        with CONCURRENCY.of(self._app).poll(caller.subject):
            if self.gateway and (result := self.gateway.job(caller, token, job_id)):
                return result
            return self.jobs.answer(caller.subject, job_id, self.catalog, browser).response()

    def status(self, caller: Caller) -> dict[str, Any]:
        """Return the caller's connections; for a limited token only those of its endpoints."""
        status = self.connections.status(caller.subject)
        permit = caller.permit
        if permit is None:
            return status
        allowed = {one.vendor.integration for one in self.catalog if permit.allows(one.name)}
        return {name: status[name] for name in status if name in allowed}

    def is_configured(self, endpoint: Endpoint) -> bool:
        return self.missing(endpoint) is None

    def missing(self, endpoint: Endpoint) -> str | None:
        """Return the first missing setting that the endpoint or its model needs here, or None."""
        if self.gateway:
            return None
        missing, model = endpoint.missing(self.calls.settings), endpoint.model
        return missing or (model.missing(MODELS.of(self._app)) if model else None)

    def check_allowed(self, endpoint: Endpoint, params: Mapping[str, Any]) -> None:
        """Raise `ServiceError` if the settings of the instance that makes the call forbid it.

        Another instance checks this itself. A call that was made before still gets its answer.
        """
        if endpoint.allows and not self.gateway:
            endpoint.allows(self.calls.settings, params)

    def _answer(self, endpoint: Endpoint, request: Inbound, logged: LoggedCall) -> Answer:
        user_id, browser = request.caller.subject, request.browser
        connection = self.connections.of(endpoint, user_id, browser)
        if connection and not connection.admits(request):
            return Answer(connection.payload(), consent=True)
        params, wait = validate_parameters(endpoint, request.body)
        self.jobs.check_own(user_id, endpoint, params)
        admitted = Admitted(endpoint, request, params, wait, connection, logged)
        if request.idempotency_key is None:
            return self._make(admitted, None)
        return self._make_once(admitted, request.idempotency_key)

    def _make_once(self, admitted: Admitted, key: str) -> Answer:
        """With an idempotency key, return the stored answer, or make the call and store it."""
        request, call = admitted.request, (admitted.user_id, admitted.endpoint, key)
        lease = KeyLease(self._sealer, *call, dict(request.body), request.note, request.chat_id)
        stored = lease.wait_for_answer() if request.again else lease.begin()
        if stored is not None:
            admitted.logged.has_row = True  # that of the call's first attempt
            return Answer(json.loads(stored))
        with self._renewal.renewing(lease):
            return self._make(admitted, lease)

    def _make(self, admitted: Admitted, lease: KeyLease | None) -> Answer:
        """Give a kept answer, or make the call."""
        endpoint = admitted.endpoint
        charge = self.charging.charge_of(admitted)
        media = self.calls.media(endpoint, admitted.user_id)
        with (
            media,
            Attempt(admitted.user_id, charge, lease, self._renewal, admitted.logged) as attempt,
            self._look_up(admitted) as lookup,
        ):
            self.check_allowed(endpoint, admitted.params)
            if lookup.kept:
                return self._give_again(admitted, attempt, lookup.kept)
            with self._limits.counting(admitted.user_id, endpoint):
                if charge or not endpoint.access.reads:  # else it can be refused afterwards
                    media.reserve(endpoint.seconds + GRACE_SECONDS)
                attempt.hold()
                answer, job = self._make_call(admitted, attempt, media, lookup.seconds)
            if not answer.consent:
                media.confirm()
                kept = lookup.keep_answer(answer.data, wait=admitted.logged.has_row)
                answer = replace(answer, data=kept)
        return self._wait(admitted, job, lease) if job else answer

    def _make_call(
        self, admitted: Admitted, attempt: Attempt, media: CallMedia, seconds: float
    ) -> tuple[Answer, IntegrationJob | None]:
        """Make the call at the vendor, and store its charge and answer.

        A task that the vendor has accepted is charged, and becomes a job. The job is stored before
        the call waits for it, so that an interruption can't make the same call pay again.
        """
        answer, job = self.calls.make(admitted, attempt, media, seconds), None
        if answer.consent:
            return answer, None
        data, cost = answer.data, admitted.endpoint.cost(admitted.params, answer.data)
        cost += attempt.call.model_cost if attempt.call else 0
        if isinstance(data, Task):
            job = self.jobs.begin(admitted.user_id, admitted.endpoint, data)
            data = self.jobs.public_state(job)
        attempt.end(cost, data, job)
        return Answer(data), job

    def _look_up(self, admitted: Admitted) -> AbstractContextManager[Lookup]:
        """Look for a kept answer of the same call."""
        key = key_of(admitted, self.calls.settings, SANDBOX_URL.get(self._app) or "")
        return self._lookups.look_up(key, admitted.endpoint.seconds, admitted.request.fresh)

    def _give_again(self, admitted: Admitted, attempt: Attempt, kept: Kept) -> Answer:
        """Return a kept answer, which costs nothing."""
        answer = self.calls.give_again(admitted, kept)
        if not answer.consent:
            attempt.end(0, answer.data, None)
        return answer

    def _wait(self, admitted: Admitted, job: IntegrationJob, lease: KeyLease | None) -> Answer:
        """Hold the call open for its job, for as long as the caller wishes."""
        self.jobs.watch(job, admitted.endpoint, admitted.wait)
        data = self.jobs.public_state(job)
        if lease and job.state != "running":
            lease.replace_answer(encode(data))
        return Answer(data)
