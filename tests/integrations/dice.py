"""An endpoint of an app's own that asks no vendor, as a module of `EXTENSIONS` declares it."""

from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import WRITE, Endpoint
from service.integrations.declare.example import Example
from service.integrations.declare.fields import Count, Parameters
from service.integrations.declare.request import Outgoing
from service.integrations.declare.shape import Int, Shape
from service.integrations.declare.vendor import Vendor
from service.integrations.vendors.github.vendor import GITHUB

OURS = Vendor(integration="dice", name="dice")


class Throw(Parameters):
    sides = Count("How many sides the die has.", least=2, most=100, default=6)


thrown: list[int] = []  # what the app has changed
questions: list[Outgoing] = []  # sent to a vendor, after that
faults: list[BaseException] = []  # raised once each, at last
returned: list[Any] = []  # once each, in the place of what it declares


def _throw(call: Call, *, sides: int) -> Any:
    thrown.append(sides)
    for question in questions:
        call.at(GITHUB).send(question)
    if faults:
        raise faults.pop()
    return returned.pop() if returned else {"shows": sides}


throw = Endpoint(
    name="dice-throw", vendor=OURS, category="data", access=WRITE, credits=2,
    summary="Throws a die.", docs="https://app.example/docs/dice",
    takes=Throw, run=_throw, gives=Shape(shows=Int("shows")),
    examples=(Example({"sides": 20}, ()),),
)  # fmt: skip

VENDORS = (OURS,)
ENDPOINTS = (throw,)
