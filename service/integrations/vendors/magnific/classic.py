"""Pictures by the fast and cheap Classic model, which Magnific sends at once and does not keep."""

import base64
import binascii
from typing import Any

from service.billing.prices import MAGNIFIC_CLASSIC
from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import File, example
from service.integrations.declare.fields import Amount, Choice, Count, Parameters, Switch, Words
from service.integrations.declare.media import MEDIA
from service.integrations.declare.meter import Meter
from service.integrations.declare.reading import unusable
from service.integrations.declare.request import Outgoing, post
from service.integrations.declare.shape import Bool, Each, Int, Maybe, Shape
from service.integrations.vendors.magnific.parameters import (
    CLASSIC_RATIOS,
    aspect_ratio,
    color_list,
    effect,
    prompt_words,
    seed_number,
)
from service.integrations.vendors.magnific.pictures import media_type_of
from service.integrations.vendors.magnific.vendor import DOCS, MAGNIFIC

MIB = 1 << 20
MOST = 24 * MIB  # bytes of four pictures, of at most 1792 by 1792 pixels
STYLES = (
    "photo", "digital-art", "3d", "painting", "low-poly", "pixel-art", "anime", "cyberpunk",
    "comic", "vintage", "cartoon", "vector", "studio-shot", "dark", "sketch", "mockup",
    "2000s-pone", "70s-vibe", "watercolor", "art-nouveau", "origami", "surreal", "fantasy",
    "traditional-japan",
)  # fmt: skip
COLORS = (
    "b&w", "pastel", "sepia", "dramatic", "vibrant", "orange&teal", "film-filter", "split",
    "electric", "pastel-pink", "gold-glow", "autumn", "muted-green", "deep-teal", "duotone",
    "terracotta&teal", "red&blue", "cold-neon", "burgundy&blue",
)  # fmt: skip
LIGHTS = (
    "studio", "warm", "cinematic", "volumetric", "golden-hour", "long-exposure", "cold",
    "iridescent", "dramatic", "hardlight", "redscale", "indoor-light",
)  # fmt: skip
VIEWS = (
    "portrait", "macro", "panoramic", "aerial-view", "close-up", "cinematic", "high-angle",
    "low-angle", "symmetry", "fish-eye", "first-person",
)  # fmt: skip

META = Shape(
    seed=Maybe(Int("meta.seed")), width=Maybe(Int("meta.image.width")),
    height=Maybe(Int("meta.image.height")),
)  # fmt: skip
ANSWER = Shape(
    meta=META, images=Each("data", Shape(base64="base64", hasNsfw=Bool("has_nsfw")))
)  # fmt: skip


class Classic(Parameters):
    prompt = prompt_words(least=3)
    negativePrompt = Words("What to avoid.", least=3, most=4000, to="json.negative_prompt")
    style = Choice(*STYLES, about="The style.", to="json.styling.style")
    color = effect("color", *COLORS)
    lighting = effect("lightning", *LIGHTS)
    framing = effect("framing", *VIEWS)
    colors = color_list()
    aspectRatio = aspect_ratio(*CLASSIC_RATIOS, to="json.image.size")
    numImages = Count("Number of pictures.", least=1, most=4, to="json.num_images", default=1)
    guidanceScale = Amount(
        "How closely to follow the prompt.",
        least=0, most=2, to="json.guidance_scale", default=1.0,
    )  # fmt: skip
    seed = seed_number(0, 1_000_000)
    filterNsfw = Switch("Leave out what is indecent.", to="json.filter_nsfw", default=True)


def _make(call: Call, request: Outgoing) -> dict[str, Any]:
    answer = ANSWER.read(call.send(request))
    pictures = [(_decoded(one["base64"]), one["hasNsfw"]) for one in answer["images"]]
    kept = [{**call.keep(raw, _kind(raw)), "hasNsfw": has_nsfw} for raw, has_nsfw in pictures]
    return {**answer, "images": kept}


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise unusable("base64") from None


def _kind(raw: bytes) -> str:
    """Return the media type, which Magnific does not tell. Raises `Unusable`."""
    kind = media_type_of(raw)
    if kind is None:
        raise unusable("base64")
    return kind


PNG = base64.b64encode(File("magnific/picture.png").content()).decode()

classic = Endpoint(
    name="generate-image-classic", vendor=MAGNIFIC, category="ai",
    summary="Make pictures at once with the fast and cheap Classic model.",
    docs=f"{DOCS}/text-to-image/get-image-from-text",
    meter=Meter(lambda values: values["numImages"] * MAGNIFIC_CLASSIC, lambda data: None),
    seconds=120, makes=MOST,
    takes=Classic, asks=post("/v1/ai/text-to-image", limit=MOST * 4 // 3 + MIB), run=_make,
    gives=Shape(
        images=Each("images", Shape(MEDIA, hasNsfw=Bool("hasNsfw"))), meta=META,
    ),
    examples=(example(
        {
            "prompt": "A dog in space", "negativePrompt": "Other dogs", "style": "cartoon",
            "color": "b&w", "lighting": "warm", "framing": "portrait", "numImages": 2,
            "colors": [{"color": "#ff0000", "weight": 0.5}], "seed": 42,
        },
        "POST /v1/ai/text-to-image",
        {
            "data": [{"base64": PNG, "has_nsfw": False}] * 2,
            "meta": {
                "prompt": "A dog in space", "seed": 42, "num_inference_steps": 8,
                "guidance_scale": 1.0,
                "image": {"size": "square_1_1", "width": 1024, "height": 1024},
            },
        },
        body={
            "prompt": "A dog in space", "negative_prompt": "Other dogs",
            "styling": {
                "style": "cartoon",
                "effects": {"color": "b&w", "lightning": "warm", "framing": "portrait"},
                "colors": [{"color": "#FF0000", "weight": 0.5}],
            },
            "image": {"size": "square_1_1"}, "num_images": 2, "guidance_scale": 1.0, "seed": 42,
            "filter_nsfw": True,
        },
    ),),
)  # fmt: skip

ENDPOINTS = (classic,)
