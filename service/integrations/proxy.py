"""The way of a call: look up, choose the bearer, grant, validate, hold, request, settle.

Source: contract section 10, "Order of a call".
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask
from marshmallow import ValidationError

from config import Settings
from service.billing.payer import Payer, payer_of
from service.billing.prices import CREDIT
from service.edge import load
from service.errors import InvalidRequest, ServiceError, UpstreamFailed
from service.fields import Number
from service.integrations.attempt import Attempt, Charge
from service.integrations.breaker import Breakers
from service.integrations.call import Call
from service.integrations.catalog import Catalog, Endpoint, Task
from service.integrations.connections import Connection, Connections
from service.integrations.faults import is_down
from service.integrations.gateway import Gateway
from service.integrations.idempotency import Once
from service.integrations.jobs import LONGEST_WAIT, Jobs
from service.integrations.keeper import KeyKeeper
from service.integrations.models import IntegrationJob
from service.integrations.seal import Sealer
from service.integrations.way import Answer, Request, Told
from service.json_values import encode

GRACE = 60.0  # seconds that a hold outlives its call: the token may have to be refreshed first


@dataclass(frozen=True)
class Ready:
    """A call that may be made: granted, and its parameters are valid. `wait` is in seconds."""

    endpoint: Endpoint
    request: Request
    params: dict[str, Any]
    wait: float
    connection: Connection | None


class Proxy:
    """This worker's proxy. Every method needs an app context."""

    def __init__(self, app: Flask, catalog: Catalog, sealer: Sealer) -> None:
        self.catalog = catalog
        self._app = app
        self._sealer = sealer
        self._settings: Settings = app.config["SETTINGS"]
        self.connections = Connections(app, catalog, sealer)
        self.jobs = Jobs(sealer, self._call, lambda: app.extensions["lifecycle"].draining)
        self.gateway = self._gateway()
        self._breakers = Breakers(app)
        self._keeper = KeyKeeper(app)

    @property
    def vendor_settings(self) -> Mapping[str, str]:
        """As configured, or as the sandbox has redirected them."""
        return self._app.extensions["vendor_settings"]

    def _gateway(self) -> Gateway | None:
        if not self._settings.integrations_gateway_url:
            return None
        upstream, owners = self._app.extensions["upstream"], self._settings.owner_token or ""
        return Gateway(upstream, self._settings.integrations_gateway_url, owners, self.jobs)

    def call(self, request: Request) -> Told:
        """Raises `ServiceError`."""
        endpoint = self.catalog.named(request.endpoint)
        if self.gateway:
            return self.gateway.call(endpoint, request, self.billing(endpoint) == "developer")
        answer = self._answer(endpoint, request)
        return Told(200, {"success": True, "data": answer.data}, consent=answer.consent)

    def is_configured(self, endpoint: Endpoint) -> bool:
        """Whether nothing is missing that an operator has to set."""
        key, oauth = endpoint.vendor.key, endpoint.vendor.oauth
        needed = [key.setting] if key and key.required else []
        needed += [oauth.client_setting, oauth.secret_setting] if oauth else []
        return all(self.vendor_settings.get(setting) for setting in needed)

    def billing(self, endpoint: Endpoint) -> str:
        return self._settings.integrations_billing.get(endpoint.vendor.integration, "user")

    def payer(self, endpoint: Endpoint, request: Request) -> Payer:
        """The subject of the forwarded token."""
        owner = self._app.extensions["owner"]
        forwarded = request.caller if self.billing(endpoint) == "user" else owner
        return payer_of(forwarded, owner.subject)

    def _answer(self, endpoint: Endpoint, request: Request) -> Answer:
        connection = self.connections.of(endpoint, request)
        if connection and not connection.suffices:
            return Answer(connection.payload(), consent=True)
        params, wait = _validated(endpoint, request.body)
        self.jobs.check_own(request.caller.subject, endpoint, params)
        ready = Ready(endpoint, request, params, wait, connection)
        if request.idempotency_key is None:
            return self._make(ready, None)
        return self._once(ready)

    def _once(self, ready: Ready) -> Answer:
        """With an idempotency key: the stored answer, or a call whose answer is stored."""
        request = ready.request
        assert request.idempotency_key
        user_id, key = request.caller.subject, request.idempotency_key
        once = Once(self._sealer, user_id, ready.endpoint, key, dict(request.body))
        stored = once.begin()
        if stored is not None:
            return Answer(json.loads(stored))
        with self._keeper.renewing(once):
            return self._make(ready, once)

    def _make(self, ready: Ready, once: Once | None) -> Answer:
        """Make the call, and store its charge and answer.

        A task that the vendor has accepted is charged, and becomes a job. It is stored before
        anybody waits for it, so that nothing in that time makes the same call pay again.
        """
        job = None
        user_id = ready.request.caller.subject
        with Attempt(user_id, self._charge(ready), once, self._keeper) as attempt:
            attempt.hold()
            answer = self._request(ready, attempt)
            if answer.consent:
                return answer
            cost, data = ready.endpoint.cost(ready.params, answer.data), answer.data
            if isinstance(data, Task):
                job = self.jobs.begin(user_id, ready.endpoint, data)
                data = self.jobs.shown(job)
            attempt.end(cost, data, job)
        return self._waited(ready, job, once) if job else Answer(data)

    def _waited(self, ready: Ready, job: IntegrationJob, once: Once | None) -> Answer:
        self.jobs.watch(job, ready.endpoint, ready.wait)
        data = self.jobs.shown(job)
        if once and job.state != "running":
            once.replace_answer(encode(data))
        return Answer(data)

    def _charge(self, ready: Ready) -> Charge | None:
        """The charge of a call; None if it can't cost anything."""
        endpoint, request = ready.endpoint, ready.request
        most = endpoint.most(ready.params)
        if not most:
            return None
        facts = {"integration": endpoint.vendor.integration, "approval": request.approval}
        return Charge(
            payer=self.payer(endpoint, request),
            most=most,
            starting=self._settings.starting_credits * CREDIT,
            seconds=endpoint.seconds + GRACE,
            what=endpoint.name,
            facts={name: value for name, value in facts.items() if value},
        )

    def _request(self, ready: Ready, attempt: Attempt) -> Answer:
        """The vendor's data, or the payload where a consent mends what it refused."""
        connection = ready.connection
        try:
            bearer = connection.token() if connection else None
            call = attempt.call = self._call(ready.endpoint, bearer, attempt.leave)
            answer = Answer(self._guarded(ready.endpoint, ready.params, call))
            if connection and call.is_rejected:  # half-way: the answer says how far it came
                connection.forget()
            return answer
        except ServiceError as error:
            if connection and (payload := connection.refused(error)):
                return Answer(payload, consent=True)
            raise

    def _guarded(self, endpoint: Endpoint, params: dict[str, Any], call: Call) -> Any:
        """Only what the vendor did counts for its breaker; a user's grant says nothing of it."""
        integration = endpoint.vendor.integration
        self._breakers.admit(integration)
        try:
            data = endpoint.run(call, **params)
        except ServiceError as error:
            if call.has_asked:
                count = self._breakers.failed if is_down(error) else self._breakers.succeeded
                count(integration)
            raise
        self._breakers.succeeded(integration)
        if isinstance(data, Task) and data.state == "failed":
            call.may_have_acted = False  # the vendor says so
            raise UpstreamFailed("The upstream could not complete this.", upstreamStatus=None)
        return data

    def _call(
        self,
        endpoint: Endpoint,
        bearer: str | None = None,
        leave: Callable[[], None] = lambda: None,
    ) -> Call:
        upstream = self._app.extensions["upstream"]
        settings, seconds = self.vendor_settings, endpoint.seconds
        return Call(upstream, endpoint.vendor, settings, seconds, bearer, leave)


def _validated(endpoint: Endpoint, body: Mapping[str, Any]) -> tuple[dict[str, Any], float]:
    """The parameters, and how many seconds the call may be held open for a job."""
    given, wait = dict(body), 0.0
    if endpoint.job:
        wait = _seconds(given.pop("wait", endpoint.job.wait))
    return load(endpoint.schema, given), wait


def _seconds(value: Any) -> float:
    try:
        wait = Number().deserialize(value)
    except ValidationError:
        wait = -1.0
    if not 0 <= wait <= LONGEST_WAIT:
        raise InvalidRequest(details={"wait": [f"Must be 0 to {LONGEST_WAIT} seconds."]})
    return wait
