"""A vendor whose endpoints make media: named in `EXTENSIONS`."""

from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Count, Parameters, Words
from service.integrations.declare.media import MEDIA
from service.integrations.declare.request import Outgoing, get, post
from service.integrations.declare.setting import base_url
from service.integrations.declare.shape import Each, Shape
from service.integrations.declare.task import Job, Task
from service.integrations.declare.vendor import Vendor

MIB = 1 << 20
PRESS = Vendor(
    integration="prints", name="press",
    bases=(base_url("PRESS_BASE_URL", "https://press.example"),),
)  # fmt: skip
PICTURE = b"\x89PNG a picture"
DOCS = "https://press.example/docs"


class Print(Parameters):
    text = Words("What is printed.", most=50, to="json.text", required=True)
    copies = Count("How many.", least=1, most=9, default=1)
    mediaType = Words("Of the picture.", most=50, default="image/png")


def _print(call: Call, request: Outgoing, *, copies: int, media_type: str) -> dict[str, Any]:
    raw, _ = call.send(request)
    prints = call.each(lambda number: call.keep(raw, media_type, f"{number}.png"), range(copies))
    call.send(PRINTED.with_parts())
    return {"prints": prints}


PRINTED = get("/printed")
make = Endpoint(
    name="prints-make", vendor=PRESS, category="image", credits=2, makes=8 * MIB,
    summary="Print a text.", docs=DOCS, takes=Print, run=_print,
    asks=post("/prints", returns="bytes", limit=64 * MIB),
    gives=Shape(prints=Each("prints", MEDIA)),
    examples=(Example({"text": "Hello"}, (
        Exchange("POST /prints", PICTURE, body={"text": "Hello"}),
        Exchange("GET /printed", {"ok": True}),
    )),),
)  # fmt: skip


class Order(Parameters):
    text = Words("What is printed.", most=50, to="json.text", required=True)


def _task(answer: Any) -> Task:
    return Task(answer["id"], answer["state"], answer.get("print"))


def _gather(call: Call, request: Outgoing, answer: Any) -> Any:
    if answer["state"] != "done":
        return answer
    raw, media_type = call.send(PRINT.with_parts(path={"id": answer["id"]}))
    return {**answer, "print": call.keep(raw, media_type)}


PRINT = get("/orders/{id}/print", returns="bytes")
order = Endpoint(
    name="prints-order", vendor=PRESS, category="image", credits=2, makes=8 * MIB,
    summary="Order a print.", docs=DOCS, takes=Order, gives=MEDIA, asks=post("/orders"),
    job=Job(task=_task, poll=get("/orders/{id}"), gather=_gather, wait=0, limit=3600),
    examples=(Example({"text": "Hello"}, (
        Exchange("POST /orders", {"id": "o-1", "state": "running"}, body={"text": "Hello"}),
        Exchange("GET /orders/o-1", {"id": "o-1", "state": "done"}),
        Exchange("GET /orders/o-1/print", PICTURE),
    )),),
)  # fmt: skip

VENDORS = (PRESS,)
ENDPOINTS = (make, order)
