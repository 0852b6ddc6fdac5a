"""Pictures with more pixels, and pictures that are extended beyond their borders.

Each mode and model has its own path. A task is polled at the path where it began, so the path is a
part of the id that we store for the task.
"""

from dataclasses import replace
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.billing import prices
from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Choice, Count, Parameters, Words
from service.integrations.declare.meter import Meter
from service.integrations.declare.request import Outgoing, get, post
from service.integrations.declare.task import Task
from service.integrations.vendors.magnific.pictures import (
    BODY_LIMIT,
    as_base64,
    check_loaded,
    fetched_picture,
)
from service.integrations.vendors.magnific.tasks import (
    IMAGES,
    MADE,
    MODELLED,
    TASK,
    answered,
    at_path,
    job,
    read_task,
)
from service.integrations.vendors.magnific.vendor import DOCS, MAGNIFIC

AI = "/v1/ai"
POLL = get(f"{AI}/{{id+}}")
MODES = {"precision": "image-upscaler-precision-v2", "creative": "image-upscaler"}
ONLY_FOR = {
    "precision": ("sharpen", "smartGrain", "ultraDetail", "flavor"),
    "creative": (
        "prompt", "optimizedFor", "creativity", "hdr", "resemblance", "fractality", "engine",
    ),
}  # fmt: skip
PHOTO, SKETCH = "https://example.com/photo.jpg", "aGVsbG8="


def _begin(call: Call, request: Outgoing, model: str) -> Task:
    task = read_task(call.send(request), IMAGES, model)
    return at_path(request.path.removeprefix(f"{AI}/"), task)


def _ends(path: str) -> Exchange:
    return Exchange(f"GET {AI}/{path}/{TASK}", answered("COMPLETED", MADE))


def _percent(about: str, to: str, default: int) -> Count:
    return Count(f"{about}: {default} unless given.", least=0, most=100, to=f"json.{to}")


def _amount(about: str, to: str) -> Count:
    return Count(f"{about}: 0 unless given.", least=-10, most=10, to=f"json.{to}")


class Upscale(Parameters):
    image = fetched_picture("The picture to enlarge.", "image", required=True)
    mode = Choice(
        *MODES, about="Be faithful to the picture (`precision`), or invent details (`creative`).",
        to="path.mode", theirs=MODES, default="precision",
    )  # fmt: skip
    scaleFactor = Count(
        "How many times as wide and high; with `creative`, 2, 4, 8 or 16, and the result has at "
        "most 25.3 megapixels.",
        least=2, most=16, to="json.scale_factor", default=2,
    )  # fmt: skip
    sharpen = _percent("How sharp it becomes, with `precision`", "sharpen", 7)
    smartGrain = _percent("How much grain it gets, with `precision`", "smart_grain", 7)
    ultraDetail = _percent("How much fine detail it gets, with `precision`", "ultra_detail", 30)
    flavor = Choice(
        "sublime", "photo", "photo_denoiser",
        about="What it is made for, with `precision`: art, photos, or photos with noise.",
        to="json.flavor",
    )  # fmt: skip
    prompt = Words("What the picture shows, with `creative`.", most=4000, to="json.prompt")
    optimizedFor = Choice(
        "standard", "soft_portraits", "hard_portraits", "art_n_illustration", "videogame_assets",
        "nature_n_landscapes", "films_n_photography", "3d_renders", "science_fiction_n_horror",
        about="What kind of picture it is, with `creative`.", to="json.optimized_for",
    )  # fmt: skip
    creativity = _amount("How much it invents, with `creative`", "creativity")
    hdr = _amount("How much definition it gets, with `creative`", "hdr")
    resemblance = _amount("How close it stays to the original, with `creative`", "resemblance")
    fractality = _amount("How intricate it becomes, with `creative`", "fractality")
    engine = Choice(
        "automatic", "magnific_illusio", "magnific_sharpy", "magnific_sparkle",
        about="The engine that makes it, with `creative`.", to="json.engine",
    )  # fmt: skip

    @validates_schema
    def check_mode(self, data: dict[str, Any], **kwargs: Any) -> None:
        for mode, names in ONLY_FOR.items():
            wrong = [name for name in names if name in data and data["mode"] != mode]
            if wrong:
                raise ValidationError(f"Only allowed with the mode {mode}.", wrong[0])
        if data["mode"] == "precision":
            check_loaded("image", data["image"])
        elif data["scaleFactor"] not in (2, 4, 8, 16):
            raise ValidationError("Must be 2, 4, 8 or 16 in this mode.", "scaleFactor")


def _upscale(call: Call, request: Outgoing, *, mode: str, image: str, scale_factor: int) -> Task:
    """Begin a task. The inventive mode accepts only base64, and names its factors `2x`."""
    if mode == "creative":
        own = {"image": as_base64(call, "image", image), "scale_factor": f"{scale_factor}x"}
        request = request.plus(json=own)
    return _begin(call, request, mode)


def _upscale_cost(values: Any) -> float:
    tiers = prices.MAGNIFIC_UPSCALE
    return next(dollars for factor, dollars in tiers.items() if values["scaleFactor"] <= factor)


upscale = Endpoint(
    name="upscale-image", vendor=MAGNIFIC, category="image",
    summary="A picture with 2 to 16 times as many pixels in each direction.",
    docs=f"{DOCS}/image-upscaler-precision-v2/post-image-upscaler-precision-v2",
    body_limit=BODY_LIMIT, meter=Meter(_upscale_cost, lambda data: None), seconds=120,
    takes=Upscale, asks=post(f"{AI}/{{mode}}"), run=_upscale, gives=MODELLED,
    job=replace(job(AI, limit=600, interval=5), poll=POLL),
    examples=(
        Example(
            {
                "image": PHOTO, "scaleFactor": 3, "sharpen": 10, "smartGrain": 5,
                "ultraDetail": 40, "flavor": "photo",
            },
            (
                Exchange(
                    f"POST {AI}/image-upscaler-precision-v2", answered("CREATED"),
                    body={
                        "image": PHOTO, "scale_factor": 3, "sharpen": 10, "smart_grain": 5,
                        "ultra_detail": 40, "flavor": "photo",
                    },
                ),
                _ends("image-upscaler-precision-v2"),
            ),
        ),
        Example(
            {
                "image": SKETCH, "mode": "creative", "scaleFactor": 4, "prompt": "A castle",
                "optimizedFor": "art_n_illustration", "creativity": 2, "hdr": 1,
                "resemblance": 3, "fractality": -1, "engine": "magnific_sparkle",
            },
            (
                Exchange(
                    f"POST {AI}/image-upscaler", answered("CREATED"),
                    body={
                        "image": SKETCH, "scale_factor": "4x", "prompt": "A castle",
                        "optimized_for": "art_n_illustration", "creativity": 2, "hdr": 1,
                        "resemblance": 3, "fractality": -1, "engine": "magnific_sparkle",
                    },
                ),
                _ends("image-upscaler"),
            ),
        ),
    ),
)  # fmt: skip

SIDES = ("left", "right", "top", "bottom")
LOADING = "seedream-v4-5"  # the model that accepts an address


def _pixels(side: str) -> Count:
    return Count(f"Pixels to add at the {side}.", least=0, most=2048, to=f"json.{side}", default=0)


class Expansion(Parameters):
    image = fetched_picture("The picture to extend.", "image", required=True)
    left, right, top, bottom = map(_pixels, SIDES)
    prompt = Words("What the new parts show.", most=4000, to="json.prompt")
    seed = Count(
        "Repeats a picture, with the same parameters; not with `flux-pro`.",
        least=0, most=2**31 - 1, to="json.seed",
    )  # fmt: skip
    model = Choice(
        LOADING, "flux-pro", "ideogram",
        about="The model that extends it.", to="path.model", default=LOADING,
    )  # fmt: skip

    @validates_schema
    def check_sides(self, data: dict[str, Any], **kwargs: Any) -> None:
        if not any(data[side] for side in SIDES):
            raise ValidationError("One of the sides must be above 0.", "left")
        if data["model"] == "flux-pro" and "seed" in data:
            raise ValidationError("This model has no seed.", "seed")
        if data["model"] == LOADING:
            check_loaded("image", data["image"])


def _expand(call: Call, request: Outgoing, *, model: str, image: str) -> Task:
    """Begin a task. Two of the models accept only base64."""
    if model != LOADING:
        request = request.plus(json={"image": as_base64(call, "image", image)})
    return _begin(call, request, model)


WIDER = {"left": 256, "right": 256, "top": 0, "bottom": 64}
expand = Endpoint(
    name="expand-image", vendor=MAGNIFIC, category="image",
    summary="Extend a picture beyond its borders.",
    docs=f"{DOCS}/image-expand/post-seedream-v4-5", body_limit=BODY_LIMIT, seconds=120,
    takes=Expansion, asks=post(f"{AI}/image-expand/{{model}}"), run=_expand, gives=MODELLED,
    job=replace(job(AI), poll=POLL),
    examples=(
        Example({**WIDER, "image": PHOTO, "prompt": "A wide field", "seed": 7}, (
            Exchange(
                f"POST {AI}/image-expand/seedream-v4-5", answered("CREATED"),
                body={**WIDER, "image": PHOTO, "prompt": "A wide field", "seed": 7},
            ),
            _ends("image-expand/seedream-v4-5"),
        )),
        Example({"left": 10, "image": SKETCH, "model": "flux-pro"}, (
            Exchange(
                f"POST {AI}/image-expand/flux-pro", answered("CREATED"),
                body={"left": 10, "right": 0, "top": 0, "bottom": 0, "image": SKETCH},
            ),
            _ends("image-expand/flux-pro"),
        )),
    ),
)  # fmt: skip

ENDPOINTS = (upscale, expand)
