"""Videos by the Kling models, which begin with a picture.

A task is polled at a separate path, which for Kling 2.1 and 2.6 is not the model's path.
"""

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.billing.prices import MAGNIFIC_AUDIO, MAGNIFIC_VIDEO
from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Amount, Choice, Parameters, Switch, Words
from service.integrations.declare.meter import Meter
from service.integrations.declare.request import Outgoing, get, post
from service.integrations.declare.shape import Shape
from service.integrations.declare.task import Job, Task
from service.integrations.vendors.magnific.parameters import aspect_ratio
from service.integrations.vendors.magnific.pictures import BODY_LIMIT, picture
from service.integrations.vendors.magnific.tasks import (
    MODEL,
    TASK,
    VIDEOS,
    answered,
    at_path,
    read_task,
)
from service.integrations.vendors.magnific.vendor import DOCS, MAGNIFIC

VIDEO = "/v1/ai/image-to-video"
PATHS = {name: name.replace("kling-", "kling-v").replace(".", "-") for name in MAGNIFIC_VIDEO}
POLLED = {**PATHS, **dict.fromkeys(("kling-2.1-std", "kling-2.1-pro"), "kling-v2-1")}
POLLED["kling-2.6-pro"] = "kling-v2-6"
LATEST = "kling-2.6-pro"
ONLY_LATEST = ("aspectRatio", "generateAudio")
FILE = "https://ai-statics.freepik.com/content/046b6c7f/result.mp4"


class Video(Parameters):
    imageUrl = picture("The first picture, of 300 by 300 pixels or more.", "image", required=True)
    prompt = Words("What happens.", most=2500, to="json.prompt", required=True)
    negativePrompt = Words("What to avoid.", most=2500, to="json.negative_prompt")
    duration = Choice("5", "10", about="Seconds.", to="json.duration", default="5")
    cfgScale = Amount(
        "How closely to follow the prompt.", least=0, most=1, to="json.cfg_scale", default=0.5
    )
    model = Choice(
        *MAGNIFIC_VIDEO, about="The model.", to="path.model", theirs=PATHS,
        default="kling-2.1-std",
    )  # fmt: skip
    aspectRatio = aspect_ratio(
        "widescreen_16_9", "social_story_9_16", "square_1_1",
        about=f"Width to height; only {LATEST} takes it.", has_default=False,
    )  # fmt: skip
    generateAudio = Switch(f"Add sound; only {LATEST} can, at twice the price.")

    @validates_schema
    def check_together(self, data: dict[str, Any], **kwargs: Any) -> None:
        for name in ONLY_LATEST:
            if name in data and data["model"] != LATEST:
                raise ValidationError(f"Only {LATEST} takes this.", name)


def _begin(call: Call, request: Outgoing, *, model: str, generate_audio: bool = False) -> Task:
    if model == LATEST:
        request = request.plus(json={"generate_audio": generate_audio})
    return at_path(POLLED[model], read_task(call.send(request), VIDEOS, model))


def _most(values: Mapping[str, Any]) -> float:
    price = MAGNIFIC_VIDEO[values["model"]] * int(values["duration"])
    return price * MAGNIFIC_AUDIO if values.get("generateAudio") else price


def _exchanges(path: str, polled: str, body: Mapping[str, Any]) -> tuple[Exchange, ...]:
    return (
        Exchange(f"POST {VIDEO}/{path}", answered("CREATED"), body=body),
        Exchange(f"GET {VIDEO}/{polled}/{TASK}", answered("COMPLETED", FILE)),
    )


IMAGE = "https://example.com/cat.jpg"

video = Endpoint(
    name="generate-video", vendor=MAGNIFIC, category="ai",
    summary="Make a short video that begins with a picture.",
    docs=f"{DOCS}/image-to-video/overview", meter=Meter(_most, lambda data: None),
    body_limit=BODY_LIMIT,
    takes=Video, asks=post(f"{VIDEO}/{{model}}"), run=_begin,
    job=Job(
        task=lambda answer: read_task(answer, VIDEOS), poll=get(f"{VIDEO}/{{id+}}"),
        wait=60, limit=900, interval=10, facts=MODEL,
    ),
    gives=Shape(MODEL, VIDEOS),
    examples=(
        Example(
            {"imageUrl": IMAGE, "prompt": "It flies away", "negativePrompt": "Other cats"},
            _exchanges("kling-v2-1-std", "kling-v2-1", {
                "image": IMAGE, "prompt": "It flies away", "negative_prompt": "Other cats",
                "duration": "5", "cfg_scale": 0.5,
            }),
        ),
        Example(
            {
                "imageUrl": IMAGE, "prompt": "It sings", "model": "kling-2.6-pro",
                "duration": "10", "aspectRatio": "9:16", "generateAudio": True,
            },
            _exchanges("kling-v2-6-pro", "kling-v2-6", {
                "image": IMAGE, "prompt": "It sings", "duration": "10", "cfg_scale": 0.5,
                "aspect_ratio": "social_story_9_16", "generate_audio": True,
            }),
        ),
    ),
)  # fmt: skip

ENDPOINTS = (video,)
