"""Pictures by the Seedream models, which follow a prompt closely."""

from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Amount, Parameters
from service.integrations.declare.request import post
from service.integrations.vendors.magnific.parameters import (
    RATIOS,
    aspect_ratio,
    prompt_words,
    seed_number,
)
from service.integrations.vendors.magnific.tasks import MADE, MODELLED, TASK, answered, job
from service.integrations.vendors.magnific.vendor import DOCS, MAGNIFIC

SEEDREAM = "/v1/ai/text-to-image/seedream"
SEEDREAM_V4 = "/v1/ai/text-to-image/seedream-v4"


class Seedream(Parameters):
    prompt = prompt_words()
    aspectRatio = aspect_ratio(*RATIOS)
    guidanceScale = Amount(
        "How closely to follow the prompt.",
        least=0, most=20, to="json.guidance_scale", default=2.5,
    )  # fmt: skip
    seed = seed_number(0, 2**31 - 1)


def _examples(path: str) -> tuple[Example, ...]:
    body = {
        "prompt": "A cat with wings", "aspect_ratio": "widescreen_16_9", "guidance_scale": 2.5,
        "seed": 7,
    }  # fmt: skip
    return (Example({"prompt": "A cat with wings", "aspectRatio": "16:9", "seed": 7}, (
        Exchange(f"POST {path}", answered("CREATED"), body=body),
        Exchange(f"GET {path}/{TASK}", answered("COMPLETED", MADE)),
    )),)  # fmt: skip


seedream = Endpoint(
    name="generate-image-seedream", vendor=MAGNIFIC, category="ai",
    summary="Make a picture with Seedream.",
    docs=f"{DOCS}/text-to-image/seedream",
    takes=Seedream, asks=post(SEEDREAM), job=job(SEEDREAM, "seedream"),
    gives=MODELLED,
    examples=_examples(SEEDREAM),
)  # fmt: skip

seedream_v4 = Endpoint(
    name="generate-image-seedream-v4", vendor=MAGNIFIC, category="ai",
    summary="Make a picture with Seedream 4.",
    docs=f"{DOCS}/text-to-image/seedream-4/post-seedream-v4",
    takes=Seedream, asks=post(SEEDREAM_V4), job=job(SEEDREAM_V4, "seedream-v4"),
    gives=MODELLED,
    examples=_examples(SEEDREAM_V4),
)  # fmt: skip

ENDPOINTS = (seedream, seedream_v4)
