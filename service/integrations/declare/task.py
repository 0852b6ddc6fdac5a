"""Tasks of vendors' own task APIs, and how a slow endpoint goes on with one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from service.integrations.declare.meter import micro_credits
from service.integrations.declare.reading import unusable
from service.integrations.declare.request import Outgoing, Template
from service.integrations.declare.shape import Shape
from service.storable import is_storable

Gather = Callable[[Any, Outgoing, Any], Any]

LONGEST_ID = 512  # characters of a task's id, as stored with its job
NOT_COMPLETED = "The upstream could not complete this."


@dataclass(frozen=True)
class Task:
    """A task at the vendor's own task API: what is needed to ask for it again.

    The result of a failed task may be a sentence of ours that says why. `dollars` is the cost that
    the vendor reports: at the end, and perhaps until now while the task runs. `price` is what the
    task will cost, in US dollars, where that is known when it begins. `facts` are fields of the
    result that are known then: its job shows them while it runs.
    """

    id: str
    state: Literal["running", "done", "failed"] = "running"
    result: Any = None
    dollars: Any = None
    price: Any = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def outcome(self) -> Any:
        """What a job keeps of it: its facts while it runs, then its result with them."""
        if self.state == "running":
            return self.facts or None
        return {**self.result, **self.facts} if self.facts and self.state == "done" else self.result

    @property
    def failure_reason(self) -> str:
        """What its caller is told of its failure."""
        return self.result if isinstance(self.result, str) else NOT_COMPLETED

    @property
    def cost(self) -> int | None:
        """The cost in micro-credits: while it runs, its price; None if neither is known."""
        return micro_credits(self.price if self.state == "running" else self.dollars)


@dataclass(frozen=True, kw_only=True)
class Job:
    """How a slow endpoint goes on.

    `task` reads the vendor's answer to the first request and to each poll. `poll` is the request,
    and `target` says where the task's id goes in it, such as `json.taskId`. `gather(call, request,
    answer)` returns the answer of a poll with what the vendor gives only on further requests, such
    as the other pages of a long result. `cancel` is the request that ends a task which still runs
    after its time; the id has the same place in it. `totals` says that `dollars` of a task which
    runs are what it has cost until then. `facts` is the shape of those of its tasks.
    `dollars(task)` is the cost of an ended task with its facts, where they change what it reports.
    Seconds: `wait` is how long a call is held open unless it says otherwise, `limit` how long the
    whole may take.
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

    def request(self, task_id: str) -> Outgoing:
        """The request that asks for a task."""
        return self._about(self.poll, task_id)

    def cancellation(self, task_id: str) -> Outgoing:
        """The request that cancels a task."""
        assert self.cancel
        return self._about(self.cancel, task_id)

    def check(self, task: Task) -> None:
        """Raises `Unusable` for a task whose id can't be stored, or that can't be asked for."""
        if len(task.id) > LONGEST_ID or not is_storable(task.id):
            raise unusable("task id")
        if task.state == "running":
            if not task.id:
                raise unusable("task id")
            self.request(task.id)

    def cost(self, task: Task) -> int | None:
        """The cost of an ended task in micro-credits; None if the vendor does not report it."""
        return replace(task, dollars=self.dollars(task)).cost

    @property
    def is_complete(self) -> bool:
        """Whether its requests have the place of the task's id, and no other."""
        place, _, name = self.target.partition(".")
        pieces = {name} if place == "path" else set()
        return all(one.pieces == pieces for one in (self.poll, self.cancel) if one)

    def _about(self, template: Template, task_id: str) -> Outgoing:
        place, _, name = self.target.partition(".")
        return template.with_parts(**{place: {name: task_id}})
