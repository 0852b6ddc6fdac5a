"""Research by Exa's agent: a run of its own, asked for until it has ended."""

from typing import Any

from service.integrations.call import Call, path_of
from service.integrations.catalog import Job, Task, endpoint
from service.integrations.shape import at, listed, need, text, unusable
from service.integrations.vendors.exa.examples import ACCEPTED, RAN
from service.integrations.vendors.exa.parameters import Research
from service.integrations.vendors.exa.prices import MOST_OF_A_RUN, RUNS
from service.integrations.vendors.exa.vendor import DOCS, EXA


def _poll(call: Call, run_id: str) -> Task:
    return _task(call.get(path_of("/agent/runs/{id}", id=run_id)))


@endpoint(
    "neuralsearch-research", EXA, Research(), "search", f"{DOCS}/agent-api/create-a-run",
    examples=(ACCEPTED, RAN), credits=50, meter=RUNS, continues="previousRunId",
    job=Job(_poll, wait=0, limit=600),
)  # fmt: skip
def research(call: Call, **asked: Any) -> Task:
    """A researched report with its sources, which may take ten minutes."""
    if asked["effort"] == "auto":
        asked["budget"] = {"maxCostDollars": MOST_OF_A_RUN}
    return _task(call.post("/agent/runs", asked))


def _task(run: Any) -> Task:
    dollars, run_id = at(run, "costDollars.total"), text(run, "id")
    match need(run, "status"):
        case "queued" | "running":
            return Task(run_id)
        case "completed":
            return Task(run_id, "done", _report(run), dollars)
        case "failed" | "cancelled":
            return Task(run_id, "failed", dollars=dollars)
    raise unusable()


def _report(run: Any) -> dict[str, Any]:
    """Each source once; `runId` is what `previousRunId` takes."""
    grounding = listed(at(run, "output.grounding") or [])
    cited = [source for item in grounding for source in listed(at(item, "citations") or [])]
    sources = {
        text(source, "url"): {"title": at(source, "title"), "url": text(source, "url")}
        for source in cited
    }
    return {
        "runId": text(run, "id"),
        "report": at(run, "output.text"),
        "structured": at(run, "output.structured"),
        "citations": list(sources.values()),
        "stopReason": at(run, "stopReason"),
        "costDollars": at(run, "costDollars.total"),
    }
