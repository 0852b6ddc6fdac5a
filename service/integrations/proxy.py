"""The way of a call: look up, choose the bearer, grant, validate, hold, request, settle.

Source: contract section 10, "Order of a call".
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask
from marshmallow import ValidationError, fields

from config import Settings
from service.billing import ledger
from service.billing.payer import Payer, payer_of
from service.billing.prices import CREDIT
from service.database import write_transaction
from service.edge import load
from service.errors import InvalidRequest, ServiceError, UpstreamFailed, UpstreamTimedOut
from service.ids import new_id
from service.integrations.breaker import Breakers
from service.integrations.call import Call
from service.integrations.catalog import Catalog, Endpoint, Task
from service.integrations.connections import Connection, Connections
from service.integrations.gateway import Gateway
from service.integrations.idempotency import Once
from service.integrations.jobs import LONGEST_WAIT, Jobs
from service.integrations.seal import Sealer
from service.integrations.shape import Unusable
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
        self.jobs = Jobs(sealer, self._plain_call, lambda: app.extensions["lifecycle"].draining)
        self.gateway = self._gateway()
        self._breakers = Breakers(app)

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
            return self._make(ready, lambda _data: None)
        return self._once(ready)

    def _once(self, ready: Ready) -> Answer:
        """With an idempotency key: the stored answer, or a call whose answer is stored."""
        request = ready.request
        assert request.idempotency_key
        user_id, key = request.caller.subject, request.idempotency_key
        once = Once(self._sealer, user_id, ready.endpoint.name, key, dict(request.body))
        stored = once.begin()
        if stored is not None:
            return Answer(json.loads(stored))
        kept = False

        def keep(data: Any) -> None:
            nonlocal kept
            once.keep(encode(data))
            kept = True

        try:
            return self._make(ready, keep)
        finally:
            if not kept:
                once.forget()

    def _make(self, ready: Ready, keep: Callable[[Any], None]) -> Answer:
        """Make the call, and `keep` what it has brought.

        A task that the vendor has accepted is paid for, and becomes a job. It is kept before it is
        waited for, so that nothing that happens meanwhile makes the same call pay again.
        """
        answer = self._hold(ready)
        if isinstance(answer.data, Task):
            job = self.jobs.begin(ready.request.caller.subject, ready.endpoint, answer.data)
            keep(self.jobs.shown(job))
            self.jobs.watch(job, ready.endpoint, ready.wait)
            answer = Answer(self.jobs.shown(job))
        if not answer.consent:
            keep(answer.data)
        return answer

    def _hold(self, ready: Ready) -> Answer:
        """Hold the price, make the call, settle: a call that came to nothing costs nothing."""
        endpoint, request = ready.endpoint, ready.request
        if not endpoint.price:
            return self._request(ready)
        payer, call_id = self.payer(endpoint, request), new_id("call")
        with write_transaction() as session:
            starting = self._settings.starting_credits * CREDIT
            ledger.ensure_account(session, payer.subject, starting)
            seconds = endpoint.seconds + GRACE
            hold = ledger.reserve(session, payer, endpoint.price, call_id, None, seconds)
        cost = 0
        try:
            answer = self._request(ready)
            cost = 0 if answer.consent else endpoint.price
            return answer
        finally:
            facts = {"integration": endpoint.vendor.integration, "approval": request.approval}
            told = {name: value for name, value in facts.items() if value}
            with write_transaction() as session:
                ledger.settle(session, hold, cost, endpoint.name, told)

    def _request(self, ready: Ready) -> Answer:
        """The vendor's data, or the payload where a consent mends what it refused."""
        connection = ready.connection
        try:
            bearer = connection.token() if connection else None
            call = self._plain_call(ready.endpoint, bearer)
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
                count = self._breakers.failed if _is_down(error) else self._breakers.succeeded
                count(integration)
            raise
        self._breakers.succeeded(integration)
        return data

    def _plain_call(self, endpoint: Endpoint, bearer: str | None = None) -> Call:
        return Call(
            self._app.extensions["upstream"],
            endpoint.vendor,
            self.vendor_settings,
            endpoint.seconds,
            bearer,
        )


def _is_down(error: ServiceError) -> bool:
    """Whether the vendor is: not where it has answered with what we can't use."""
    return isinstance(error, UpstreamFailed | UpstreamTimedOut) and not isinstance(error, Unusable)


def _validated(endpoint: Endpoint, body: Mapping[str, Any]) -> tuple[dict[str, Any], float]:
    """The parameters, and how many seconds the call may be held open for a job."""
    given, wait = dict(body), 0.0
    if endpoint.job:
        wait = _seconds(given.pop("wait", endpoint.job.wait))
    return load(endpoint.schema, given), wait


def _seconds(value: Any) -> float:
    try:
        wait = fields.Float().deserialize(value)
    except ValidationError:
        wait = -1.0
    if not 0 <= wait <= LONGEST_WAIT:
        raise InvalidRequest(details={"wait": [f"Must be 0 to {LONGEST_WAIT} seconds."]})
    return wait
