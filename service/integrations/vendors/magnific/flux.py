"""Pictures by the Flux models."""

from typing import Any

from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Choice, Count, Parameters, Switch
from service.integrations.declare.request import post
from service.integrations.vendors.magnific.parameters import (
    FLUX_RATIOS,
    aspect_ratio,
    color_list,
    effect,
    prompt_words,
    seed_number,
)
from service.integrations.vendors.magnific.tasks import MADE, MODELLED, TASK, answered, job
from service.integrations.vendors.magnific.vendor import DOCS, MAGNIFIC

FLUX_DEV = "/v1/ai/text-to-image/flux-dev"
FLUX_PRO = "/v1/ai/text-to-image/flux-pro-v1-1"
HYPERFLUX = "/v1/ai/text-to-image/hyperflux"


class Flux(Parameters):
    prompt = prompt_words()
    aspectRatio = aspect_ratio(*FLUX_RATIOS)
    color = effect("color", "softhue", "b&w", "goldglow", "vibrant", "coldneon")
    framing = effect("framing", "portrait", "lowangle", "midshot", "wideshot", "tiltshot", "aerial")
    lighting = effect(
        "lightning", "iridescent", "dramatic", "goldenhour", "longexposure", "indorlight", "flash",
        "neon",
    )  # fmt: skip
    colors = color_list()
    seed = seed_number(1, 2**32 - 1)


class FluxPro(Parameters):
    prompt = prompt_words()
    aspectRatio = aspect_ratio(*FLUX_RATIOS)
    promptUpsampling = Switch(
        "Let the model embellish the prompt.", to="json.prompt_upsampling", default=False
    )
    safetyTolerance = Count(
        "How much to let pass: 0 is the strictest.",
        least=0, most=6, to="json.safety_tolerance", default=2,
    )  # fmt: skip
    outputFormat = Choice("jpeg", "png", about="The kind of file.", to="json.output_format")
    seed = seed_number(0, 2**31 - 1)


def _styled(path: str) -> tuple[Example, ...]:
    asks: dict[str, Any] = {
        "prompt": "A cat with wings", "aspectRatio": "4:5", "color": "b&w", "framing": "aerial",
        "lighting": "neon", "colors": [{"color": "#ff0000", "weight": 0.5}], "seed": 7,
    }  # fmt: skip
    body = {
        "prompt": "A cat with wings", "aspect_ratio": "social_post_4_5", "seed": 7,
        "styling": {
            "effects": {"color": "b&w", "framing": "aerial", "lightning": "neon"},
            "colors": [{"color": "#FF0000", "weight": 0.5}],
        },
    }  # fmt: skip
    return (Example(asks, (
        Exchange(f"POST {path}", answered("CREATED"), body=body),
        Exchange(f"GET {path}/{TASK}", answered("COMPLETED", MADE)),
    )),)  # fmt: skip


flux_dev = Endpoint(
    name="generate-image-flux-dev", vendor=MAGNIFIC, category="ai",
    summary="Make a picture with Flux Dev.",
    docs=f"{DOCS}/text-to-image/flux-dev/post-flux-dev",
    takes=Flux, asks=post(FLUX_DEV), job=job(FLUX_DEV, "flux-dev"),
    gives=MODELLED,
    examples=_styled(FLUX_DEV),
)  # fmt: skip

hyperflux = Endpoint(
    name="generate-image-hyperflux", vendor=MAGNIFIC, category="ai",
    summary="Make a picture with HyperFlux, the fastest of the Flux models.",
    docs=f"{DOCS}/text-to-image/hyperflux/post-hyperflux",
    takes=Flux, asks=post(HYPERFLUX), job=job(HYPERFLUX, "hyperflux"),
    gives=MODELLED,
    examples=_styled(HYPERFLUX),
)  # fmt: skip

flux_pro = Endpoint(
    name="generate-image-flux-pro", vendor=MAGNIFIC, category="ai",
    summary="Make a picture with Flux Pro 1.1.",
    docs=f"{DOCS}/text-to-image/flux-pro-v1-1/post-flux-pro-v1-1",
    takes=FluxPro, asks=post(FLUX_PRO), job=job(FLUX_PRO, "flux-pro"),
    gives=MODELLED,
    examples=(Example({"prompt": "A cat with wings", "outputFormat": "png", "seed": 7}, (
        Exchange(
            f"POST {FLUX_PRO}", answered("CREATED"),
            body={
                "prompt": "A cat with wings", "aspect_ratio": "square_1_1",
                "prompt_upsampling": False, "safety_tolerance": 2, "output_format": "png",
                "seed": 7,
            },
        ),
        Exchange(f"GET {FLUX_PRO}/{TASK}", answered("COMPLETED", MADE)),
    )),),
)  # fmt: skip

ENDPOINTS = (flux_dev, hyperflux, flux_pro)
