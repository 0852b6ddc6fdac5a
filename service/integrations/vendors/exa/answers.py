"""Answers with their sources, given at once or researched by Exa's agent."""

from itertools import chain
from typing import Any

from service.billing.prices import EXA_BUDGET
from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import PAID_READ, Endpoint
from service.integrations.declare.example import Example, Exchange, File, example
from service.integrations.declare.fields import Choice, Parameters, Switch, Values, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import text, unusable
from service.integrations.declare.request import Outgoing, get, post
from service.integrations.declare.shape import Each, Made, Maybe, Num, Raw, Shape
from service.integrations.declare.task import Job, Task
from service.integrations.vendors.exa.meters import ANSWERS, RUNS
from service.integrations.vendors.exa.vendor import DOCS, EXA, REQUEST

CITATION = Shape(
    url="url", title=Maybe("title"), author=Maybe("author"), publishedDate=Maybe("publishedDate"),
    text=Maybe("text"),
)  # fmt: skip
SOURCE = Shape(url="url", title=Maybe("title"))
GROUNDS = Each(
    "output.grounding", Shape(citations=Each("citations", SOURCE, default=())), default=()
)
RUN = "agent_run_01j8zq6k5x"
DONE = Exchange(f"GET /agent/runs/{RUN}", File("exa/run.json"))
VALUE = {"type": "string"}
FIGURES = {"type": "object", "properties": {"parameters": {"type": "integer"}}}


class Answer(Parameters):
    query = Words("The question.", most=5000, to="json.query", required=True)
    text = Switch("Return the text of each source.", to="json.text", default=False)
    outputSchema = Values("The JSON Schema that the answer must fit.", to="json.outputSchema")


answer = Endpoint(
    name="neuralsearch-answer", vendor=EXA, category="search", access=PAID_READ,
    summary="A direct answer to a question, with its sources.",
    docs=f"{DOCS}/answer", meter=ANSWERS, seconds=90,
    takes=Answer, asks=post("/answer"),
    gives=Shape(REQUEST, answer=Raw("answer"), citations=Each("citations", CITATION, default=())),
    examples=(example(
        {"query": "What is the latest valuation of SpaceX?", "text": True, "outputSchema": VALUE},
        "POST /answer", File("exa/answer.json"),
        body={
            "query": "What is the latest valuation of SpaceX?", "text": True, "outputSchema": VALUE,
        },
    ),),
)  # fmt: skip


def _sources(run: Any, values: Any) -> list[dict[str, Any]]:
    """Return each source once."""
    lists = [ground["citations"] for ground in GROUNDS.read(run, values) or ()]
    return list({source["url"]: source for source in chain.from_iterable(lists)}.values())


REPORT = Shape(
    runId="id", report=Maybe("output.text"), structured=Maybe(Raw("output.structured")),
    citations=Made(Each("", SOURCE), _sources), stopReason=Maybe("stopReason"),
    costDollars=Maybe(Num("costDollars.total")),
)  # fmt: skip


class Research(Parameters):
    query = Words("What to find out.", most=20_000, to="json.query", required=True)
    systemPrompt = Words("Instructions to the agent.", most=20_000, to="json.systemPrompt")
    effort = Choice(
        "low", "medium", "high", "xhigh", "auto",
        about="How thorough to be: each has a price of its own, and `auto` costs what it takes.",
        to="json.effort", default="auto",
    )  # fmt: skip
    outputSchema = Values("The JSON Schema that `structured` must fit.", to="json.outputSchema")
    previousRunId = Words(
        "The `runId` of an earlier report of the caller's own, to go on from.",
        pattern="^[A-Za-z0-9_-]{1,100}$", to="json.previousRunId",
    )  # fmt: skip


def _research(call: Call, request: Outgoing, *, effort: str) -> Task:
    if effort == "auto":  # is metered, and would cost up to $5
        request = request.plus(json={"budget": {"maxCostDollars": EXA_BUDGET}})
    return _task(call.send(request))


def _task(run: Any) -> Task:
    dollars, run_id = find(run, "costDollars.total"), text(run, "id")
    match text(run, "status"):
        case "queued" | "running":
            return Task(run_id, dollars=dollars)
        case "completed":
            return Task(run_id, "done", REPORT.read(run), dollars)
        case "failed" | "cancelled":
            return Task(run_id, "failed", dollars=dollars)
    raise unusable("status")


research = Endpoint(
    name="neuralsearch-research", vendor=EXA, category="search",
    summary="A researched report with its sources, which may take ten minutes.",
    docs=f"{DOCS}/agent-api/create-a-run", meter=RUNS, continues="previousRunId",
    takes=Research, asks=post("/agent/runs"), run=_research,
    job=Job(
        task=_task, poll=get("/agent/runs/{id}"), cancel=post("/agent/runs/{id}/cancel"),
        wait=0, limit=600,
    ),
    gives=REPORT,
    examples=(Example({
        "query": "How large are language models?", "systemPrompt": "Be brief.",
        "outputSchema": FIGURES,
    }, (
        Exchange(
            "POST /agent/runs", File("exa/queued.json"),
            body={
                "query": "How large are language models?", "systemPrompt": "Be brief.",
                "effort": "auto", "outputSchema": FIGURES, "budget": {"maxCostDollars": EXA_BUDGET},
            },
        ),
        DONE,
    )), Example({"query": "And of small ones?", "effort": "low", "previousRunId": RUN}, (
        Exchange(
            "POST /agent/runs", File("exa/queued.json"),
            body={"query": "And of small ones?", "effort": "low", "previousRunId": RUN},
        ),
        DONE,
    ))),
)  # fmt: skip

ENDPOINTS = (answer, research)
