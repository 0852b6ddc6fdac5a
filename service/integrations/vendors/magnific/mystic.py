"""Pictures by Mystic, Magnific's own model, which is best at photographs."""

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.billing.prices import MAGNIFIC_MYSTIC
from service.integrations.calling.call import Call
from service.integrations.declare.arguments import snake
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Choice, Count, Parameters, Switch
from service.integrations.declare.meter import Meter
from service.integrations.declare.request import Outgoing, post
from service.integrations.declare.task import Task
from service.integrations.vendors.magnific.parameters import (
    MYSTIC_RATIOS,
    aspect_ratio,
    color_list,
    prompt_words,
    short_name,
)
from service.integrations.vendors.magnific.pictures import BODY_LIMIT, as_base64, fetched_picture
from service.integrations.vendors.magnific.tasks import (
    IMAGES,
    MADE,
    MODELLED,
    TASK,
    answered,
    job,
    read_task,
)
from service.integrations.vendors.magnific.vendor import DOCS, MAGNIFIC

MYSTIC = "/v1/ai/mystic"
ONLY_WITH = {
    "structureStrength": "structureReference", "adherence": "styleReference",
    "hdr": "styleReference",
}  # fmt: skip
FLUID_RATIOS = ("1:1", "16:9", "9:16", "4:3", "3:4")


class Mystic(Parameters):
    prompt = prompt_words()
    model = Choice(
        "realism", "fluid", "zen", "flexible", "super_real", "editorial_portraits",
        about="The look; `fluid` follows the prompt best, and takes the ratios 1:1, 16:9, 9:16, "
        "4:3 and 3:4 only.",
        to="json.model", default="realism",
    )  # fmt: skip
    resolution = Choice(
        *MAGNIFIC_MYSTIC, about="A 4k picture costs most.", to="json.resolution", default="2k"
    )
    aspectRatio = aspect_ratio(*MYSTIC_RATIOS)
    creativeDetailing = Count(
        "Detail per pixel, at the cost of an artificial look.",
        least=0, most=100, to="json.creative_detailing", default=33,
    )  # fmt: skip
    engine = Choice(
        "automatic", "magnific_illusio", "magnific_sharpy", "magnific_sparkle",
        about="`illusio` is soft, `sharpy` is for photographs, `sparkle` between them.",
        to="json.engine", default="automatic",
    )  # fmt: skip
    fixedGeneration = Switch(
        "The same parameters make the same picture.", to="json.fixed_generation", default=False
    )
    colors = color_list()
    structureReference = fetched_picture("A picture whose shapes to keep.", "structure_reference")
    structureStrength = Count(
        "How much to keep them, with `structureReference`: 50 unless given.",
        least=0,
        most=100,
        to="json.structure_strength",
    )
    styleReference = fetched_picture("A picture whose style to keep.", "style_reference")
    adherence = Count(
        "How much to follow the prompt rather than that style, with `styleReference`: 50 unless "
        "given.",
        least=0, most=100, to="json.adherence",
    )  # fmt: skip
    hdr = Count(
        "Detail in that style, with `styleReference`, at the cost of an artificial look: 50 "
        "unless given.",
        least=0, most=100, to="json.hdr",
    )  # fmt: skip

    @validates_schema
    def check_strengths(self, data: dict[str, Any], **kwargs: Any) -> None:
        for name, other in ONLY_WITH.items():
            if name in data and other not in data:
                raise ValidationError(f"Only allowed with {other}.", name)

    @validates_schema
    def check_ratio(self, data: dict[str, Any], **kwargs: Any) -> None:
        if data["model"] == "fluid" and short_name(data["aspectRatio"]) not in FLUID_RATIOS:
            allowed = ", ".join(FLUID_RATIOS)
            raise ValidationError(f"The model fluid takes only {allowed}.", "aspectRatio")


def _begin(
    call: Call,
    request: Outgoing,
    *,
    structure_reference: str | None = None,
    style_reference: str | None = None,
) -> Task:
    """Begin a task. Mystic accepts references only as base64."""
    given = {"structureReference": structure_reference, "styleReference": style_reference}
    pictures = {snake(name): as_base64(call, name, text) for name, text in given.items() if text}
    return read_task(call.send(request.plus(json=pictures)), IMAGES, "mystic")


def _most(values: Mapping[str, Any]) -> float:
    return MAGNIFIC_MYSTIC[values["resolution"]]


SKETCH = "aGVsbG8="
DONE = Exchange(f"GET {MYSTIC}/{TASK}", answered("COMPLETED", MADE))

mystic = Endpoint(
    name="generate-image-mystic", vendor=MAGNIFIC, category="ai",
    summary="Make a picture with Mystic, as large as 4k.",
    docs=f"{DOCS}/mystic/post-mystic", meter=Meter(_most, lambda data: None),
    takes=Mystic, asks=post(MYSTIC), run=_begin, job=job(MYSTIC, "mystic"),
    body_limit=BODY_LIMIT,
    gives=MODELLED,
    examples=(Example({"prompt": "A cat", "colors": [{"color": "#00aa00", "weight": 1}]}, (
        Exchange(
            f"POST {MYSTIC}", answered("CREATED"),
            body={
                "prompt": "A cat", "model": "realism", "resolution": "2k",
                "aspect_ratio": "square_1_1", "creative_detailing": 33, "engine": "automatic",
                "fixed_generation": False,
                "styling": {"colors": [{"color": "#00AA00", "weight": 1}]},
            },
        ),
        DONE,
    )), Example({
        "prompt": "A cat", "structureReference": SKETCH, "structureStrength": 80,
        "styleReference": SKETCH, "adherence": 60, "hdr": 40,
    }, (
        Exchange(
            f"POST {MYSTIC}", answered("CREATED"),
            body={
                "prompt": "A cat", "model": "realism", "resolution": "2k",
                "aspect_ratio": "square_1_1", "creative_detailing": 33, "engine": "automatic",
                "fixed_generation": False, "structure_reference": SKETCH,
                "structure_strength": 80, "style_reference": SKETCH, "adherence": 60, "hdr": 40,
            },
        ),
        DONE,
    ))),
)  # fmt: skip

ENDPOINTS = (mystic,)
