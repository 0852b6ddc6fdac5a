"""Tasks of vendors' own task APIs, and the jobs of slow endpoints that follow them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from service.integrations.declare.forms import check_forms
from service.integrations.declare.meter import price_of
from service.integrations.declare.reading import unusable
from service.integrations.declare.request import Outgoing, Template
from service.integrations.declare.shape import Shape
from service.storable import is_storable

Gather = Callable[[Any, Outgoing, Any], Any]

LONGEST_WAIT = 60  # seconds that a call may be held open for its job
LONGEST_ID = 512  # characters of a task's id, as stored with its job
NOT_COMPLETED = "The upstream could not complete this."


@dataclass(frozen=True)
class Task:
    """A task at the vendor's own task API.

    The result of a failed task may be a sentence of ours with the reason. `dollars` is the cost
    that the vendor reports at the end, and perhaps a running total before. `price` is the cost of
    the task in US dollars, if it is known when the task begins. `facts` are fields of the result
    that are known then; the job shows them while it runs.
    """

    id: str
    state: Literal["running", "done", "failed"] = "running"
    result: Any = None
    dollars: Any = None
    price: Any = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for a state or an id of another form, which no poll would end."""
        check_forms(self)

    @property
    def outcome(self) -> Any:
        """The data that a job stores: the task's facts while it runs, then its result with them."""
        if self.state == "running":
            return self.facts or None
        return {**self.result, **self.facts} if self.facts and self.state == "done" else self.result

    @property
    def failure_reason(self) -> str:
        """The reason of its failure, for its caller."""
        return self.result if isinstance(self.result, str) else NOT_COMPLETED

    @property
    def cost(self) -> int | None:
        """The cost in micro-credits, or the price while it runs; None if that is not known."""
        return price_of(self.price if self.state == "running" else self.dollars)


@dataclass(frozen=True, kw_only=True)
class Job:
    """How a slow endpoint follows its task.

    `task` reads the vendor's answer to the first request and to each poll. `poll` is the request of
    a poll, and `target` is the place of the task's id in it, such as `json.taskId`. `gather(call,
    request, answer)` adds to the answer of a poll the data that need further requests, such as the
    other pages of a long result, and returns it. `cancel` is the request that ends a task after its
    time limit; it has the same place for the id. `totals` says that `dollars` of a running task is
    its cost so far. `facts` is the shape of the facts of its tasks. `dollars(task)` returns the
    cost of an ended task, if its facts change the reported cost. In seconds, `wait` is how long a
    call is held open by default, and `limit` how long the whole job may take.
    """

    task: Callable[[Any], Task]
    poll: Template
    wait: float
    limit: float
    interval: float = 5.0
    target: str = "path.id"
    gather: Gather | None = None
    cancel: Template | None = None
    totals: bool = False
    facts: Shape = field(default_factory=Shape)
    dollars: Callable[[Task], Any] = lambda task: task.dollars

    def __post_init__(self) -> None:
        """Raise ValueError for a field of another type, or a time that can't be."""
        check_forms(self)
        if not 0 <= self.wait <= LONGEST_WAIT or min(self.limit, self.interval) <= 0:
            rule = f"`wait` must be 0 to {LONGEST_WAIT}, `limit` and `interval` more than 0"
            raise ValueError(f"Job: its {rule}")

    def request(self, task_id: str) -> Outgoing:
        """Return the request that polls a task."""
        return self._about(self.poll, task_id)

    def cancellation(self, task_id: str) -> Outgoing:
        """Return the request that cancels a task."""
        assert self.cancel
        return self._about(self.cancel, task_id)

    def check(self, task: Task) -> None:
        """Raise `Unusable` for a task whose id can't be stored, or that can't be polled."""
        if len(task.id) > LONGEST_ID or not is_storable(task.id):
            raise unusable("task id")
        if task.state == "running":
            if not task.id:
                raise unusable("task id")
            self.request(task.id)

    def cost(self, task: Task) -> int | None:
        """Return the cost of an ended task in micro-credits, or None if it is not reported."""
        return replace(task, dollars=self.dollars(task)).cost

    @property
    def is_complete(self) -> bool:
        """Whether its requests have a place for the task's id, and no other place."""
        place, _, name = self.target.partition(".")
        pieces = {name} if place == "path" else set()
        return all(one.pieces == pieces for one in (self.poll, self.cancel) if one)

    def _about(self, template: Template, task_id: str) -> Outgoing:
        place, _, name = self.target.partition(".")
        return template.with_parts(**{place: {name: task_id}})
