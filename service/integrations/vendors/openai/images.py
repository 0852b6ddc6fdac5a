"""Images of OpenAI's image models. OpenAI sends them as base64, and keeps none."""

import base64
import binascii
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange, File
from service.integrations.declare.fields import Choice, Count, Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.media import MEDIA
from service.integrations.declare.reading import as_list, text, unusable
from service.integrations.declare.request import Outgoing, post
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Each, Int, Maybe, Shape, Within
from service.integrations.vendors.openai.meters import IMAGES, dimensions
from service.integrations.vendors.openai.vendor import DOCS, IMAGE_MODEL, OPENAI

MIB = 1 << 20
STEP, LONGEST, MOST_PIXELS, LEAST_PIXELS = 16, 3840, 8_294_400, 655_360  # of an image
MOST_AT_ONCE = 12 * MIB  # pixels of all images of a call, so that their bytes stay within `MOST`
MOST = 32 * MIB  # bytes of a call's images
FORMATS = ("png", "jpeg", "webp")
REQUEST = post("/images/generations", limit=MOST * 4 // 3 + MIB)

USAGE = Shape(
    inputTokens=Int("input_tokens"), outputTokens=Int("output_tokens"),
    totalTokens=Maybe(Int("total_tokens")),
)  # fmt: skip
FACTS = Shape(size=Maybe("size"), quality=Maybe("quality"), usage=Maybe(Within("usage", USAGE)))
GIVES = Shape(Shape(images=Each("images", MEDIA), model="model"), FACTS)


def _check_size(size: str) -> None:
    width, height = dimensions(size)
    if width % STEP or height % STEP:
        raise ValidationError(f"Width and height must be multiples of {STEP}.")
    if max(width, height) > min(LONGEST, 3 * min(width, height)):
        raise ValidationError(f"At most {LONGEST} on a side, and three times the other side.")
    if not LEAST_PIXELS <= width * height <= MOST_PIXELS:
        raise ValidationError(f"From {LEAST_PIXELS} to {MOST_PIXELS} pixels.")


class Picture(Parameters):
    prompt = Words("What to show.", most=32_000, to="json.prompt", required=True)
    model = Choice(
        "gpt-image-2", "gpt-image-2.6-flare", "gpt-image-2.6-sunburst",
        about="The model; without it, the one that the operator has set.",
    )  # fmt: skip
    n = Count("Number of images.", least=1, most=10, to="json.n", default=1)
    size = Words(
        "`auto`, or width and height in pixels, such as 1536x1024: multiples of 16, at most 3:1.",
        most=9, pattern="^(auto|[1-9][0-9]{2,3}x[1-9][0-9]{2,3})$", checks=(_check_size,),
        to="json.size", default="auto",
    )  # fmt: skip
    quality = Choice(
        "auto", "low", "medium", "high", about="How fine; the price depends on it.",
        to="json.quality", default="auto",
    )  # fmt: skip
    background = Choice(
        "auto", "transparent", "opaque", about="The background; JPEG can't be transparent.",
        to="json.background", default="auto",
    )  # fmt: skip
    outputFormat = Choice(
        *FORMATS, about="The format of the files.",
        to="json.output_format", default="png",
    )  # fmt: skip
    outputCompression = Count(
        "The quality of JPEG and WebP files, in percent.", least=0, most=100,
        to="json.output_compression",
    )  # fmt: skip
    moderation = Choice(
        "auto", "low", about="How strictly content is judged.",
        to="json.moderation", default="auto",
    )  # fmt: skip

    @validates_schema
    def check_together(self, data: dict[str, Any], **kwargs: Any) -> None:
        width, height = dimensions(data["size"])
        if data["n"] * width * height > MOST_AT_ONCE:
            raise ValidationError("Fewer images of this size at once.", "n")
        if data["background"] == "transparent" and data["outputFormat"] == "jpeg":
            raise ValidationError("Not together with JPEG.", "background")
        if "outputCompression" in data and data["outputFormat"] == "png":
            raise ValidationError("Not together with PNG.", "outputCompression")


def make_images(call: Call, request: Outgoing, *, model: str | None = None) -> dict[str, Any]:
    """Make images with a `REQUEST`, store them for the caller, and return them in shape `GIVES`.

    `call` is a call at OpenAI. Raises `ServiceError`.
    """
    model = model or call.settings.get(IMAGE_MODEL.name) or IMAGE_MODEL.default
    answer = call.send(request.plus(json={"model": model}))
    form = find(answer, "output_format") or (request.json or {}).get("output_format", "png")
    if form not in FORMATS:
        raise unusable("output_format")
    pictures = [_decoded(item) for item in as_list(find(answer, "data"))]
    if not pictures or not all(pictures):
        raise unusable("data")
    facts = FACTS.read(answer)
    return {
        "images": [call.keep(one, f"image/{form}") for one in pictures],
        "model": model,
        **facts,
    }


def _decoded(item: Any) -> bytes:
    try:
        return base64.b64decode(text(item, "b64_json"), validate=True)
    except (binascii.Error, ValueError):
        raise unusable("b64_json") from None


picture = Endpoint(
    name="generate-image-llm", vendor=OPENAI, category="ai",
    summary="Images made by a language model, stored for a day.",
    says=Says("Making a picture", "Made {images:picture}"),
    docs=f"{DOCS}/images/methods/generate", meter=IMAGES, seconds=240, makes=MOST,
    takes=Picture, asks=REQUEST, run=make_images, gives=GIVES,
    examples=(Example(
        {"prompt": "A cute baby sea otter", "model": "gpt-image-2", "n": 2, "size": "1536x1024",
         "quality": "medium", "background": "transparent", "outputFormat": "webp",
         "outputCompression": 80},
        (Exchange(
            "POST /images/generations", File("openai/images.json"),
            body={
                "prompt": "A cute baby sea otter", "model": "gpt-image-2", "n": 2,
                "size": "1536x1024", "quality": "medium", "background": "transparent",
                "output_format": "webp", "output_compression": 80, "moderation": "auto",
            },
        ),),
    ),),
)  # fmt: skip

ENDPOINTS = (picture,)
