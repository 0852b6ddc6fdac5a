"""The declaration of an endpoint: one named call of a vendor.

Proxy, catalog, schemas, OpenAPI, sandbox, console and tests read it.
Source: docs/contract.md, section 10.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from service.billing.prices import CALLS
from service.billing.units import to_credits, to_micro_credits
from service.integrations.declare.arguments import (
    argument_faults,
    field_faults,
    keywords,
    snake,
)
from service.integrations.declare.cache import Cache
from service.integrations.declare.categories import Category
from service.integrations.declare.example import Example
from service.integrations.declare.fields import Parameters
from service.integrations.declare.forms import form_faults
from service.integrations.declare.limit import Limit
from service.integrations.declare.meter import TOO_MUCH, Meter, is_amount, price_of
from service.integrations.declare.model_use import ModelUse
from service.integrations.declare.request import Template, target_faults
from service.integrations.declare.says import Says
from service.integrations.declare.setting import Setting, first_missing
from service.integrations.declare.shape import Shape, Values
from service.integrations.declare.task import Job, Task
from service.integrations.declare.vendor import Vendor
from service.media.models import LARGEST_CALL


@dataclass(frozen=True)
class Access:
    """The effects of a call. With `reads` it changes nothing outside; with `gets` anybody may
    repeat it and GET is allowed. `auto_approve` means that the host never asks the user, and that
    the price is 0. `idempotent` means that a second call changes nothing more at the vendor."""

    reads: bool = False
    gets: bool = False
    auto_approve: bool = False
    idempotent: bool = False


FREE_READ = Access(reads=True, gets=True, auto_approve=True)
READ = Access(reads=True, gets=True)
PAID_READ = Access(reads=True)
WRITE = Access()
SAFE_WRITE = Access(idempotent=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class Endpoint:
    """An endpoint. `asks` is the one request that it makes, and `gives` reads the answer.

    `allows` is called with the settings and the parameters before a user is asked about the call,
    `before` with the call and its parameters before anything is sent. An endpoint that does more
    has a function `run`. Its arguments are the call, the filled request if there is one, and the
    parameters by keyword in snake case. It returns data that fit `gives`.

    `scope` is the neutral scope that a user is asked for. `accepted` scopes suffice as well.
    `narrow` scopes open only what the app has made; if a call finds nothing with one of them, the
    user is asked for `scope`. `credits` replaces the price in `billing/prices.py`, for vendors of
    extensions. With a `meter`, the price is the most that a call with only the required parameters
    costs. `model` declares the use of a model, whose real cost is added to the price. `seconds`
    limits a call with all its requests, `body_limit` the bytes of a caller's body. `makes` is the
    most bytes of media that a call or a job stores with `call.keep`, `copies` the most that it
    stores with `call.copy`. `continues` names the parameter for an earlier task's id, which must
    belong to one of the caller's own jobs. Answers are kept for `cache`. `per_user` limits how
    often one user may ask the vendor. The endpoint is configured if the settings that it `needs`
    beside its vendor's have values, and if its vendor or one of the `alternatives` is configured;
    its function asks which one. Jobs are tasks of its vendor. Clients describe a call to people
    with the sentences in `says`.
    """

    name: str
    vendor: Vendor
    category: Category
    summary: str
    docs: str
    takes: type[Parameters]
    gives: Shape
    examples: tuple[Example, ...]
    asks: Template | None = None
    allows: Callable[[Mapping[str, str], Values], None] | None = None
    before: Callable[[Any, Values], None] | None = None
    run: Callable[..., Any] | None = None
    access: Access = WRITE
    aliases: tuple[str, ...] = ()
    scope: str | None = None
    accepted: tuple[str, ...] = ()
    narrow: tuple[str, ...] = ()
    credits: float | None = None
    meter: Meter | None = None
    model: ModelUse | None = None
    seconds: float = 60
    body_limit: int = 1 << 20
    makes: int = 0
    copies: int = 0
    job: Job | None = None
    continues: str | None = None
    cache: Cache | None = None
    per_user: Limit | None = None
    alternatives: tuple[Vendor, ...] = ()
    needs: tuple[Setting, ...] = ()
    says: Says | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for a declaration that can't work, with all its faults."""
        if wrong := _form_faults(self) or _faults(self):
            raise ValueError(f"endpoint {self.name}: {'; '.join(wrong)}")
        self.gives.schema()  # raises ValueError for a field that can't be read

    @cached_property
    def parameters(self) -> Parameters:
        return self.takes()

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)

    @property
    def needs_parameters(self) -> bool:
        return any(field.required for field in self.parameters.fields.values())

    @property
    def price(self) -> float:
        """The price without models, in credits."""
        return CALLS.get(self.name, 0) if self.credits is None else self.credits

    @property
    def max_credits(self) -> float:
        """The most that a call with only the required parameters costs, in credits."""
        return self.price + (to_credits(self.model.max_cost) if self.model else 0)

    @property
    def is_metered(self) -> bool:
        """Whether the price of a call is known only after it."""
        return self.meter is not None or self.model is not None

    @property
    def repeatable(self) -> bool:
        """Whether a call that may have been made already may be made again."""
        return self.access.gets or self.access.idempotent

    def vendor_for(self, settings: Mapping[str, str]) -> Vendor:
        """Return the first of its vendors that is configured, or its own vendor if none is."""
        vendors = (self.vendor, *self.alternatives)
        return next((one for one in vendors if one.missing(settings) is None), self.vendor)

    def missing(self, settings: Mapping[str, str]) -> str | None:
        """Return the first setting without a value that a call needs, or None."""
        return self.vendor_for(settings).missing(settings) or first_missing(self.needs, settings)

    def most(self, params: Values) -> int:
        """Return the most that a call with these parameters can cost, in micro-credits."""
        return self._max_price(params) + (self.model.max_cost if self.model else 0)

    def cost(self, params: Values, data: Any) -> int:
        """Return the price of a call that has returned `data`, in micro-credits, without models.

        A reported cost that no call can have is ignored.
        """
        most = self._max_price(params)
        if not self.meter:
            return most
        used = data.cost if isinstance(data, Task) else self.meter.reported_cost(data)
        return most if used is None or used > TOO_MUCH * most else used

    def _max_price(self, params: Values) -> int:
        metered = price_of(self.meter.most(params)) if self.meter else None
        return to_micro_credits(self.price) if metered is None else metered

    def perform(self, call: Any, params: Values) -> Any:
        """Make a call. Return our data, or the `Task` of a job. `call` is a `calling.call.Call`."""
        request = self.asks.fill(self.parameters, params) if self.asks else None
        if self.before:
            self.before(call, params)
        if self.run:
            return self.run(call, *([request] if request else []), **self._arguments(params))
        answer = call.send(request)
        return self.job.task(answer) if self.job else self.gives.read(answer, params)

    def poll(self, call: Any, task_id: str) -> Task:
        """Ask the vendor once for a job's task."""
        assert self.job, self.name
        call = call.at(self.vendor) if self.alternatives else call
        request = self.job.request(task_id)
        answer = call.send(request)
        return self.job.task(self.job.gather(call, request, answer) if self.job.gather else answer)

    def cancel(self, call: Any, task_id: str) -> None:
        """Ask the vendor to end a job's task."""
        assert self.job, self.name
        call = call.at(self.vendor) if self.alternatives else call
        call.send(replace(self.job.cancellation(task_id), returns="reply"))

    def _arguments(self, params: Values) -> dict[str, Any]:
        assert self.run
        known = keywords(self.run)
        return {snake(name): value for name, value in params.items() if snake(name) in known}


def _form_faults(endpoint: Endpoint) -> list[str]:
    """Return the faults of types, which prevent all other checks."""
    return form_faults(endpoint) or field_faults(endpoint.parameters.fields)


def _faults(endpoint: Endpoint) -> list[str]:
    job, asks_nobody = endpoint.job, endpoint.access.auto_approve
    rules = {
        "has neither a request nor a function": not (endpoint.asks or endpoint.run),
        "has no example": not endpoint.examples,
        "its summary is no sentence": not endpoint.summary.endswith("."),
        "its `seconds` and its `body_limit` must be more than 0": (
            min(endpoint.seconds, endpoint.body_limit) <= 0
        ),
        "its `credits` must be a number from 0": not is_amount(endpoint.price),
        "never asks its user, and costs": asks_nobody and (endpoint.price or endpoint.is_metered),
        "never asks its user, and writes": asks_nobody and not endpoint.access.reads,
        "a request of its job has no place for the task's id": job and not job.is_complete,
        "makes more than can be stored": endpoint.makes + endpoint.copies > LARGEST_CALL,
        "has a scope without OAuth": endpoint.scope and not endpoint.vendor.oauth,
    }
    wrong = [text for text, is_so in rules.items() if is_so]
    arguments = argument_faults(
        endpoint.parameters.fields, endpoint.run, has_request=endpoint.asks is not None
    )
    return _target_faults(endpoint) + arguments + wrong + _promise_faults(endpoint)


def _promise_faults(endpoint: Endpoint) -> list[str]:
    """Return the faults of `cache` and `per_user`."""
    reads, slow, scoped = endpoint.access.reads, endpoint.job is not None, bool(endpoint.scope)
    cache, limit, makes = endpoint.cache, endpoint.per_user, bool(endpoint.makes or endpoint.copies)
    wrong = cache.faults(reads=reads, slow=slow, scoped=scoped, makes=makes) if cache else []
    return [*wrong, *(limit.faults() if limit else [])]


def _target_faults(endpoint: Endpoint) -> list[str]:
    asks, vendor = endpoint.asks, endpoint.vendor
    if not vendor.bases:
        return ["its vendor has no base URL to ask"] if asks or endpoint.job else []
    return target_faults(endpoint.parameters, asks, vendor.base(asks.base, {})) if asks else []
