"""One app for every endpoint of the catalog, and one local server in the place of all vendors."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import gevent
from flask import Flask

from service.app_keys import APP_SETTINGS
from service.auth import user_locks
from service.database.access import write_transaction
from service.extensions import table
from service.integrations.calling.breaker import Breakers
from service.integrations.consent.accounts import VendorAccount
from service.integrations.consent.authority import Tokens
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.setting import VENDOR_SETTINGS
from service.integrations.declare.vendor import Vendor
from service.integrations.models import Breaker, CountedCalls
from service.integrations.vendors.github import visibility
from service.times import now
from tests.integrations.bench.traffic import CANARY, Sent, is_stated, sent, stated
from tests.integrations.scripted_vendor import Asked, Said, ScriptedVendor
from tests.people import Person, person

# What a vendor's module remembers from one call to the next; forgotten before each test.
MEMORIES = (visibility.seen.clear,)
FRESH = {"Cache-Control": "no-cache"}
BEARER = f"user{CANARY}"  # a user's own token at a vendor with OAuth


@dataclass(frozen=True)
class Run:
    """What came of an example's call."""

    answer: Any  # the first response
    data: Any  # the endpoint's answer; the result of a job
    requests: list[Asked]


class Bench:
    def __init__(self, app: Flask) -> None:
        self.app, self.proxy = app, app.extensions["proxy"]
        self.vendor = ScriptedVendor()
        self.described: set[str] = set()  # endpoints whose vendor's description was asked
        self._people: dict[str, Person] = {}
        self._numbers = itertools.count()
        VENDOR_SETTINGS.set(app, self.settings())

    def settings(self) -> dict[str, str]:
        """Every vendor's, with base URLs that can be told apart and a value for each credential."""
        settings: dict[str, str] = {}
        for vendor in self.proxy.catalog.vendors:
            for one in vendor.all_settings:
                if one.secret or one.required or one in vendor.credential.settings:
                    settings[one.name] = f"{one.name}{CANARY}"
            settings |= {one.name: one.sandbox for one in vendor.all_settings if one.sandbox}
            settings |= {one.name: f"{self.vendor.url}/{one.name}" for one in vendor.bases}
        return settings

    def reset(self) -> None:
        """Forget what earlier calls have left."""
        self.forget()
        self._delete(Breaker)
        self.proxy.calls.breakers = Breakers(self.app)
        self.vendor.seen.clear()
        self.vendor.says(Said({}))

    def _delete(self, model: Any) -> None:
        with self.app.app_context(), write_transaction() as session:
            session.execute(table(model).delete())

    def forget(self) -> None:
        for forget in MEMORIES:
            forget()

    @contextmanager
    def catalog(self, endpoints: Iterable[Endpoint]) -> Iterator[None]:
        """These endpoints in the place of the catalog's own."""
        own = self.proxy.catalog
        self.proxy.catalog = Catalog(endpoints)
        try:
            yield
        finally:
            self.proxy.catalog = own

    @contextmanager
    def without(self, *names: str) -> Iterator[None]:
        settings = VENDOR_SETTINGS.of(self.app)
        values = {name: settings.pop(name) for name in names if name in settings}
        try:
            yield
        finally:
            settings.update(values)

    def person(self, endpoint: Endpoint, scope: str | None = None) -> Person:
        """Somebody with exactly the scope that the endpoint needs, if it needs one."""
        scope = scope or endpoint.scope
        key = f"{endpoint.vendor.integration}:{scope}" if scope else ""
        if key not in self._people:
            name, settings = f"user-{next(self._numbers)}", APP_SETTINGS.of(self.app)
            self._people[key] = person(self.app.test_client(), settings, name)
            self._people[key].get("/api/integrations/status")  # the first call adds the user
        someone = self._people[key]
        if scope:
            self._grant(endpoint.vendor, someone.subject, scope)
        return someone

    def _grant(self, vendor: Vendor, subject: str, scope: str) -> None:
        connections = self.proxy.connections
        with self.app.app_context():
            grants = connections.grants(vendor.integration)
            if grants.find(subject):
                return
            full = connections.scopes(vendor.integration).full(scope)
            with write_transaction() as session:
                standing = user_locks.lock(session, subject)
            tokens = Tokens(BEARER, None, 24 * 3600, full, now())
            grants.store(standing, tokens, VendorAccount(subject), [full])

    def call(self, endpoint: Endpoint, body: Any, method: str = "POST", **options: Any) -> Any:
        someone = options.pop("by", None) or self.person(endpoint)
        if endpoint.per_user:
            self._delete(CountedCalls)
        path = f"/api/integrations/{endpoint.name}"
        if method == "GET":
            return someone.get(path, query_string=_query(body), headers=FRESH)
        return someone.post(path, body, headers=FRESH)

    def run(
        self, endpoint: Endpoint, example: Example, method: str = "POST", **options: Any
    ) -> Run:
        """Make an example's call, with the vendor's answers that it states."""
        self.forget()
        self.plays(endpoint, example.exchanges)
        body = dict(example.asks)
        if endpoint.job:
            body.setdefault("wait", 0)
        answer = self.call(endpoint, body, method, **options)
        data = (answer.json or {}).get("data")
        if endpoint.job and answer.status_code == 200:
            data = self._result(endpoint, data, len(example.exchanges), **options)
        return Run(answer, data, list(self.vendor.seen))

    def _result(self, endpoint: Endpoint, state: Any, polls: int, **options: Any) -> Any:
        someone = options.get("by") or self.person(endpoint)
        for _ in range(polls):
            if state.get("status") != "running":
                break
            answer = someone.get(f"/api/integrations/jobs/{state['jobId']}")
            state = answer.json.get("data", answer.json)
        return state.get("result")

    def plays(self, endpoint: Endpoint, exchanges: Iterable[Exchange]) -> None:
        """Answer each request as it is stated, whatever their order; another one as the next."""
        left = list(exchanges)

        def answer(asked: Asked) -> Said:
            request = sent(asked)
            fitting = [one for one in left if is_stated(request, stated(endpoint, one))]
            exchange = next(iter(fitting or left), None)
            if exchange is None:
                return Said({}, 404)
            left.remove(exchange)
            return vendor_answer(exchange)

        self.vendor.seen.clear()
        self.vendor.says(answer)

    def serves(
        self, endpoint: Endpoint, example: Example, change: Any = lambda value: value
    ) -> None:
        """Answer every request by the example's exchange that is nearest to it."""

        def answer(asked: Asked) -> Said:
            request = sent(asked)
            exchange = max(example.exchanges, key=lambda one: _nearness(endpoint, one, request))
            return change(vendor_answer(exchange))

        self.vendor.seen.clear()
        self.vendor.says(answer)

    def hangs(self) -> None:
        def answer(asked: Asked) -> Said:
            gevent.sleep(60)
            return Said({})

        self.vendor.seen.clear()
        self.vendor.says(answer)

    @property
    def sent(self) -> list[Sent]:
        return [sent(asked) for asked in self.vendor.seen]


def vendor_answer(exchange: Exchange) -> Said:
    content, media_type = exchange.content
    return Said(content, exchange.status, {"Content-Type": media_type, **exchange.headers})


def _nearness(endpoint: Endpoint, exchange: Exchange, request: Sent) -> tuple[bool, int, bool]:
    one = stated(endpoint, exchange)
    place = (one.base, one.method) == (request.base, request.method)
    pairs = zip(one.path.split("/"), request.path.split("/"), strict=False)
    length = one.path.count("/") == request.path.count("/")
    return place, sum(a == b for a, b in pairs) + 100 * length, is_stated(request, one)


def _query(body: Mapping[str, Any]) -> str:
    """Parameters as the query of a GET."""
    texts = {k: str(v).lower() if isinstance(v, bool) else v for k, v in body.items()}
    return urlencode(texts, doseq=True)
