"""What an integration is made of: frozen declarations, from which everything else follows.

An endpoint is a function `run(call, **params)` that asks its vendor and returns our data; around it
stand its name, its parameters, its price, whether it asks first, and an example of what the vendor
answers, which the sandbox serves. Source: contract section 10.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from marshmallow import Schema

from service.billing.prices import CREDIT
from service.errors import ServiceError, UnknownEndpoint
from service.integrations.meter import TOO_MUCH, Meter, micro_credits

Category = Literal["ai", "search", "suite", "chat", "image", "social", "data", "sports", "science"]


@dataclass(frozen=True)
class ApiKey:
    """The operator's key, put where the vendor wants it, last of all.

    `place` is `header:Name` or `query:name`, `form` what stands there, with `{key}` in it.
    """

    setting: str
    place: str
    form: str = "{key}"
    required: bool = True


@dataclass(frozen=True)
class OAuth2:
    """Per-user OAuth. `prefix` begins the names of its settings; the URLs are defaults.

    `scope_names` maps our neutral scopes to the vendor's suffixes below `scope_base`, or to a whole
    scope. `identity` are the suffixes that are always asked for, beside `openid`. `flags` says
    which neutral scopes light which flag of the connection status.
    """

    prefix: str
    authorize_url: str
    token_url: str
    revoke_url: str
    userinfo_url: str
    scope_base: str
    scope_names: Mapping[str, str]
    flags: Mapping[str, tuple[str, ...]]
    identity: tuple[str, ...] = ("userinfo.email", "userinfo.profile")
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def client_setting(self) -> str:
        return f"{self.prefix}_CLIENT_ID"

    @property
    def secret_setting(self) -> str:
        return f"{self.prefix}_CLIENT_SECRET"


@dataclass(frozen=True)
class Reply:
    """A vendor's answer: `body` is its JSON value, None if it is not JSON; `raw` as it came."""

    status: int
    headers: Mapping[str, str]
    body: Any
    raw: bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class Vendor:
    """An upstream. `integration` is its neutral name, the billing unit.

    `base_urls` maps a setting to its default; the first is where paths go unless an endpoint says
    otherwise. `with_key` replaces a default when there is a key. `refusal` reads a
    status other than 2xx, and returns None where the common table is right. `look` is called with
    every answer.
    """

    integration: str
    name: str
    base_urls: Mapping[str, str]
    key: ApiKey | None = None
    oauth: OAuth2 | None = None
    with_key: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    refusal: Callable[[Reply], ServiceError | None] = lambda reply: None
    look: Callable[[Reply], None] = lambda reply: None


@dataclass(frozen=True)
class Example:
    """What the vendor answers to a request, as its documentation shows it."""

    method: str
    path: str  # with `{name}` for a piece that varies
    body: Any


@dataclass(frozen=True)
class Task:
    """A task at the vendor's own task API: what is needed to ask for it again.

    `dollars` is the cost that the vendor reports once the task has ended.
    """

    id: str
    state: Literal["running", "done", "failed"] = "running"
    result: Any = None
    dollars: Any = None

    @property
    def cost(self) -> int | None:
        """The cost in micro-credits; None if the vendor does not report it."""
        return micro_credits(self.dollars)


@dataclass(frozen=True)
class Job:
    """How a slow endpoint goes on: `poll(call, task_id)` asks the vendor once.

    Seconds: `wait` is how long a call is held open unless it says otherwise, `limit` how long the
    whole may take.
    """

    poll: Callable[[Any, str], Task]
    wait: float
    limit: float
    interval: float = 5.0


@dataclass(frozen=True)
class Endpoint:
    """`credits` is what a call costs. With a `job`, `run` returns a `Task`.

    With a `meter`, `credits` is the most that a call with only the required parameters costs.
    `scope` is the neutral scope that a user is asked for, `accepted` are those that do as well.
    `auto_approve` means price 0 and never asks. `reads` allows GET. `idempotent` says that a second
    call changes nothing more at the vendor. `seconds` bounds a call with all its requests,
    `body_limit` the bytes of what a caller sends. `continues` names the parameter that takes an
    earlier task's id, which must be of a job of the caller's own.
    """

    name: str
    vendor: Vendor
    summary: str
    category: Category
    schema: Schema
    run: Callable[..., Any]
    docs: str
    examples: tuple[Example, ...]
    credits: float = 0
    meter: Meter | None = None
    aliases: tuple[str, ...] = ()
    scope: str | None = None
    accepted: tuple[str, ...] = ()
    reads: bool = False
    idempotent: bool = False
    auto_approve: bool = False
    seconds: float = 60
    body_limit: int = 1 << 20
    job: Job | None = None
    continues: str | None = None

    @property
    def repeatable(self) -> bool:
        """Whether a call that may have been made already may be made again."""
        return self.reads or self.idempotent

    def most(self, params: Mapping[str, Any]) -> int:
        """The most that a call with these parameters can cost, in micro-credits."""
        metered = micro_credits(self.meter.most(params)) if self.meter else None
        return round(self.credits * CREDIT) if metered is None else metered

    def cost(self, params: Mapping[str, Any], data: Any) -> int:
        """The cost of a call that has returned `data`, in micro-credits.

        A reported cost that no call can have is not believed.
        """
        most = self.most(params)
        if not self.meter:
            return most
        used = data.cost if isinstance(data, Task) else micro_credits(self.meter.used(data))
        return most if used is None or used > TOO_MUCH * most else used

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


def endpoint(
    name: str, vendor: Vendor, schema: Schema, category: Category, docs: str, **facts: Any
) -> Callable[[Callable[..., Any]], Endpoint]:
    """Make an endpoint of a function; the first line of its docstring is the summary."""

    def make(run: Callable[..., Any]) -> Endpoint:
        summary = (run.__doc__ or "").strip().partition("\n")[0]
        made = Endpoint(name, vendor, summary, category, schema, run, docs, **facts)
        assert summary, name
        assert made.examples, f"{name} has no example for the sandbox"
        assert not (made.auto_approve and made.credits), f"{name} asks for nothing and costs"
        return made

    return make


class Catalog:
    """The endpoints of an app, by every name they have."""

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        """Raises ValueError for a name that is taken twice."""
        self._endpoints = tuple(endpoints)
        self._by_name: dict[str, Endpoint] = {}
        for item in self._endpoints:
            for name in item.names:
                if name in self._by_name:
                    raise ValueError(f"endpoint {name} is declared twice")
                self._by_name[name] = item

    def __iter__(self) -> Iterator[Endpoint]:
        return iter(self._endpoints)

    @property
    def names(self) -> Mapping[str, Endpoint]:
        return self._by_name

    @property
    def vendors(self) -> tuple[Vendor, ...]:
        return tuple({item.vendor.name: item.vendor for item in self._endpoints}.values())

    def named(self, name: str) -> Endpoint:
        """Raises `UnknownEndpoint` with the nearest names."""
        if name not in self._by_name:
            near = difflib.get_close_matches(name[:100], self._by_name, n=3, cutoff=0.5)
            raise UnknownEndpoint(nearest=near)
        return self._by_name[name]
