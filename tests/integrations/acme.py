"""A vendor as an app's own module declares it: two endpoints, named in `EXTENSIONS`."""

from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.credential import QueryKey
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange, example
from service.integrations.declare.fields import Count, Parameters, Words
from service.integrations.declare.model_use import ModelUse
from service.integrations.declare.request import Outgoing, get, post
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.shape import Each, Maybe, Num, Shape
from service.integrations.declare.vendor import Vendor

KEY = secret("ACME_API_KEY", "the key of an account at Acme")
ACME = Vendor(
    integration="anvils",
    name="acme",
    bases=(base_url("ACME_BASE_URL", "https://api.acme.example/v2"),),
    credential=QueryKey(KEY, "token"),
)
DOCS = "https://acme.example/docs"
WEIGHTS = {"anvils": [{"id": "a-1", "weight": {"kg": 50}, "maker": "Acme"}]}


class Weights(Parameters):
    material = Words("What they are made of.", most=50, to="query.m", required=True)
    most = Count("How many.", least=1, most=100, to="query.page_size", default=10)


weights = Endpoint(
    name="anvils-list", vendor=ACME, category="data", access=FREE_READ,
    summary="Anvils of a material, with their weights.", docs=f"{DOCS}#list",
    takes=Weights, asks=get("/anvils"),
    gives=Shape(
        anvils=Each("anvils", Shape(id="id", weight=Num("weight.kg"), maker=Maybe("maker")))
    ),
    examples=(example({"material": "iron"}, "GET /anvils?m=iron&page_size=10", WEIGHTS),),
)  # fmt: skip


class Question(Parameters):
    anvil = Words("The anvil's id.", pattern="^a-[0-9]{1,9}$", to="json.anvil.id", required=True)
    question = Words("What to find out.", most=1000, required=True)


def _judge(call: Call, request: Outgoing, *, question: str) -> dict[str, Any]:
    report = call.send(request)["report"]
    return {"report": report, "verdict": call.complete(f"Answer: {question}", report)}


judge = Endpoint(
    name="anvils-judge", vendor=ACME, category="data", credits=0.5,
    summary="A question about an anvil, answered from its test report.", docs=f"{DOCS}#report",
    takes=Question, asks=post("/reports"), run=_judge,
    gives=Shape(report="report", verdict="verdict"),
    model=ModelUse("llm-haiku-4-5", prompt_tokens=1000, output_tokens=200),
    examples=(Example({"anvil": "a-1", "question": "Does it ring?"}, (
        Exchange("POST /reports", {"report": "It rings."}, body={"anvil": {"id": "a-1"}}),
    )),),
)  # fmt: skip

VENDORS = (ACME,)
ENDPOINTS = (weights, judge)
