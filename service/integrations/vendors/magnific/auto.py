"""Pictures by the model that suits the prompt: one of Magnific's, or one of OpenAI's.

OpenAI makes a picture at once and does not keep it, so it is stored here.
"""

import base64
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from marshmallow import Schema

from service.billing.prices import MAGNIFIC_PICTURES
from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange, File
from service.integrations.declare.fields import Choice, Count, Parameters
from service.integrations.declare.meter import Meter
from service.integrations.declare.request import Template, get
from service.integrations.declare.shape import Each, Int, Maybe, Shape, Str
from service.integrations.declare.task import Job, Task
from service.integrations.vendors.magnific.flux import flux_dev, flux_pro, hyperflux
from service.integrations.vendors.magnific.mystic import mystic
from service.integrations.vendors.magnific.parameters import (
    RATIOS,
    aspect_ratio,
    prompt_words,
    short_name,
)
from service.integrations.vendors.magnific.picking import (
    LLM,
    MODELS,
    Pick,
    pick_model,
    possible_models,
)
from service.integrations.vendors.magnific.seedream import SEEDREAM_V4, seedream, seedream_v4
from service.integrations.vendors.magnific.tasks import (
    ADDRESS,
    IMAGES,
    MADE,
    TASK,
    answered,
    at_path,
    read_task,
)
from service.integrations.vendors.magnific.vendor import DOCS, MAGNIFIC
from service.integrations.vendors.openai.images import make_images
from service.integrations.vendors.openai.images import picture as llm
from service.integrations.vendors.openai.meters import IMAGES as LLM_METER
from service.integrations.vendors.openai.vendor import OPENAI

AI = "/v1/ai/"
ENDPOINTS_OF = {
    "mystic": mystic, "flux-dev": flux_dev, "flux-pro": flux_pro, "hyperflux": hyperflux,
    "seedream": seedream, "seedream-v4": seedream_v4, LLM: llm,
}  # fmt: skip
SIZES = {
    "1:1": "1024x1024", "16:9": "1536x864", "9:16": "864x1536", "2:3": "1024x1536",
    "3:2": "1536x1024", "3:4": "1152x1536", "4:3": "1536x1152",
}  # fmt: skip
MOST = 12 << 20  # bytes of a picture of 1536 by 1152 pixels
QUALITIES = {"draft": "low", "standard": "medium", "high": "high"}

FACTS = Shape(
    model=Str("model", about="The model, as in the names of the endpoints `generate-image-…`."),
    reason=Str("reason", about="Why it was picked."),
)
IMAGE = Shape(
    url=Str("url", about=f"Of `llm`: in this service, until `expiresAt`. Of others: {ADDRESS}"),
    mediaType=Maybe("mediaType"), bytes=Maybe(Int("bytes")), expiresAt=Maybe("expiresAt"),
)  # fmt: skip


class Wish(Parameters):
    prompt = prompt_words(least=3, to="")
    model = Choice(
        "auto", *MODELS,
        about="`auto` picks `llm` for text that can be read, `mystic` for photographs and high "
        "quality, `hyperflux` for drafts, and `seedream-v4` for the rest.",
        default="auto",
    )  # fmt: skip
    quality = Choice(*QUALITIES, about="What the picture is for.", default="standard")
    style = Choice("photo", "illustration", about="What the picture is to look like.")
    aspectRatio = aspect_ratio(*RATIOS, to="")
    seed = Count(
        "Repeats a picture, with the same parameters; `mystic` and `llm` don't know it.",
        least=1, most=2**31 - 1,
    )  # fmt: skip


def _make(
    call: Call,
    *,
    prompt: str,
    model: str,
    quality: str,
    aspect_ratio: str,
    style: str | None = None,
    seed: int | None = None,
) -> Task:
    pick = pick_model(prompt, model, quality, style, _configured(call.settings))
    if pick.model == LLM:
        return _draw(call.at(OPENAI), pick, _llm_values(prompt, quality, aspect_ratio))
    values = {"prompt": prompt, "aspectRatio": aspect_ratio, "seed": seed}
    return _begin(call.at(MAGNIFIC), pick, values)


def _configured(settings: Mapping[str, str]) -> list[str]:
    return [name for name, item in ENDPOINTS_OF.items() if item.vendor.missing(settings) is None]


def _begin(call: Call, pick: Pick, values: Mapping[str, Any]) -> Task:
    """Begin a task of one of Magnific's models, with the defaults of that model's endpoint."""
    parameters, template = _request_of(pick.model)
    known = {
        name: value
        for name, value in values.items()
        if name in parameters.fields and value is not None
    }
    request = template.fill(parameters, parameters.load(known))
    task = at_path(request.path.removeprefix(AI), _read(call.send(request)))
    price = _dollars(pick.model, values)
    return replace(task, price=price, dollars=price, facts=asdict(pick))


def _draw(call: Call, pick: Pick, values: Mapping[str, Any]) -> Task:
    """Return a task that is done, because OpenAI answers with the picture."""
    parameters, template = _request_of(LLM)
    loaded = parameters.load(values)
    drawn = make_images(call, template.fill(parameters, loaded))
    used = LLM_METER.used(drawn)
    dollars = LLM_METER.most(loaded) if used is None else used
    return Task("", "done", {"images": drawn["images"]}, dollars, facts=asdict(pick))


def _request_of(model: str) -> tuple[Schema, Template]:
    item = ENDPOINTS_OF[model]
    assert item.asks, model
    return item.parameters, item.asks


def _llm_values(prompt: str, quality: str, ratio: str) -> dict[str, Any]:
    size = SIZES[short_name(ratio)]
    return {"prompt": prompt, "size": size, "quality": QUALITIES[quality]}


def _read(answer: Any) -> Task:
    task = read_task(answer, IMAGES)
    if task.state != "done":
        return task
    nothing = dict.fromkeys(IMAGE.fields)
    return replace(task, result={"images": [nothing | one for one in task.result["images"]]})


def _dollars(model: str, values: Mapping[str, Any]) -> float:
    """Return the most that a picture of a model costs."""
    if model != LLM:
        return MAGNIFIC_PICTURES[model]
    llm_values = _llm_values(values["prompt"], values["quality"], values["aspectRatio"])
    return LLM_METER.most(llm.parameters.load(llm_values))


def _most(values: Mapping[str, Any]) -> float:
    wish = (values["prompt"], values["model"], values["quality"], values.get("style"))
    return max(_dollars(model, values) for model in possible_models(*wish))


PNG = base64.b64encode(File("magnific/picture.png").content()).decode()
DRAWN = {
    "created": 1_795_353_600, "output_format": "png", "size": "1024x1024", "quality": "low",
    "data": [{"b64_json": PNG}],
    "usage": {"input_tokens": 12, "output_tokens": 196, "total_tokens": 208},
}  # fmt: skip
CAT = {"prompt": "A cat with wings", "aspect_ratio": "widescreen_16_9"}
SIGN = 'A shop with the sign "Open"'

image = Endpoint(
    name="generate-image", vendor=MAGNIFIC, alternatives=(OPENAI,), category="ai",
    summary="Make a picture with the model that suits the prompt, and say which and why.",
    docs=f"{DOCS}/text-to-image/seedream-4/post-seedream-v4",
    meter=Meter(_most, lambda data: None), seconds=240, makes=MOST,
    takes=Wish, run=_make,
    job=Job(task=_read, poll=get(f"{AI}{{id+}}"), wait=0, limit=300, interval=3, facts=FACTS),
    gives=Shape(FACTS, images=Each("images", IMAGE)),
    examples=(
        Example({"prompt": "A cat with wings", "aspectRatio": "16:9", "seed": 7}, (
            Exchange(
                f"POST {SEEDREAM_V4}", answered("CREATED"),
                body={**CAT, "guidance_scale": 2.5, "seed": 7},
            ),
            Exchange(f"GET {SEEDREAM_V4}/{TASK}", answered("COMPLETED", MADE)),
        )),
        Example({"prompt": SIGN, "quality": "draft", "style": "illustration"}, (
            Exchange(
                "POST /images/generations", DRAWN, base="OPENAI_BASE_URL", when={"json.n": 1},
                body={
                    "prompt": SIGN, "model": "gpt-image-2", "n": 1, "size": "1024x1024",
                    "quality": "low", "background": "auto", "output_format": "png",
                    "moderation": "auto",
                },
            ),
        )),
    ),
)  # fmt: skip

ENDPOINTS = (image,)
