"""Pictures with another light, or in another style."""

from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Choice, Count, Parameters, Switch, Words
from service.integrations.declare.request import post
from service.integrations.vendors.magnific.pictures import BODY_LIMIT, picture
from service.integrations.vendors.magnific.tasks import MADE, MODELLED, TASK, answered, job
from service.integrations.vendors.magnific.vendor import DOCS, MAGNIFIC

RELIGHT = "/v1/ai/image-relight"
STYLE_TRANSFER = "/v1/ai/image-style-transfer"
PHOTO, SKETCH = "https://example.com/photo.jpg", "aGVsbG8="


def _percent(about: str, to: str, default: int) -> Count:
    return Count(about, least=0, most=100, to=f"json.{to}", default=default)


class Style(Parameters):
    image = picture("The picture to change.", "image", required=True)
    referenceImage = picture("The picture whose style it takes.", "reference_image", required=True)
    prompt = Words("What the result shows.", most=4000, to="json.prompt")
    styleStrength = _percent("How much of the style it takes.", "style_strength", 100)
    structureStrength = _percent("How much of its structure it keeps.", "structure_strength", 50)
    isPortrait = Switch("Treat it as a portrait.", to="json.is_portrait", default=False)
    portraitStyle = Choice(
        "standard", "pop", "super_pop",
        about="The style of a portrait, with `isPortrait`.", to="json.portrait_style",
    )  # fmt: skip
    portraitBeautifier = Choice(
        "beautify_face", "beautify_face_max",
        about="Beautify the face of a portrait, with `isPortrait`.",
        to="json.portrait_beautifier",
    )  # fmt: skip
    flavor = Choice(
        "faithful", "gen_z", "psychedelia", "detaily", "clear", "donotstyle", "donotstyle_sharp",
        about="How the style is taken over.", to="json.flavor", default="faithful",
    )  # fmt: skip
    engine = Choice(
        "balanced", "definio", "illusio", "3d_cartoon", "colorful_anime", "caricature", "real",
        "super_real", "softy",
        about="The engine that makes it.", to="json.engine", default="balanced",
    )  # fmt: skip
    fixedGeneration = Switch(
        "Make the same picture of the same parameters.", to="json.fixed_generation", default=False
    )

    @validates_schema
    def check_portrait(self, data: dict[str, Any], **kwargs: Any) -> None:
        for name in ("portraitStyle", "portraitBeautifier"):
            if name in data and not data["isPortrait"]:
                raise ValidationError("Only allowed with isPortrait.", name)


style_transfer = Endpoint(
    name="style-transfer-image", vendor=MAGNIFIC, category="image",
    summary="A picture in the style of another one.",
    docs=f"{DOCS}/image-style-transfer/post-image-style-transfer", body_limit=BODY_LIMIT,
    takes=Style, asks=post(STYLE_TRANSFER), job=job(STYLE_TRANSFER, "style-transfer"),
    gives=MODELLED,
    examples=(Example(
        {
            "image": PHOTO, "referenceImage": SKETCH, "prompt": "A castle in a pencil drawing",
            "isPortrait": True, "portraitStyle": "pop", "portraitBeautifier": "beautify_face",
        },
        (
            Exchange(
                f"POST {STYLE_TRANSFER}",
                {"task_id": TASK, "task_status": "CREATED", "generated": []},
                body={
                    "image": PHOTO, "reference_image": SKETCH,
                    "prompt": "A castle in a pencil drawing", "style_strength": 100,
                    "structure_strength": 50, "is_portrait": True, "portrait_style": "pop",
                    "portrait_beautifier": "beautify_face", "flavor": "faithful",
                    "engine": "balanced", "fixed_generation": False,
                },
            ),
            Exchange(f"GET {STYLE_TRANSFER}/{TASK}", answered("COMPLETED", MADE)),
        ),
    ),),
)  # fmt: skip


def _level(about: str, name: str) -> Count:
    return Count(
        f"{about}, 50 unless given.", least=0, most=100, to=f"json.advanced_settings.{name}"
    )


class Light(Parameters):
    image = picture("The picture to change.", "image", required=True)
    prompt = Words(
        "The light, in words; `(dark scene:1.3)` stresses a part.", most=4000, to="json.prompt"
    )
    referenceImage = picture(
        "A picture whose light it takes; not with `lightmap`.",
        "transfer_light_from_reference_image",
    )
    lightmap = picture(
        "A picture that is light where light falls, and black elsewhere.",
        "transfer_light_from_lightmap",
    )
    lightTransferStrength = _percent("How strong the new light is.", "light_transfer_strength", 100)
    interpolateFromOriginal = Switch(
        "Stay between the original and the new light, by `lightTransferStrength`.",
        to="json.interpolate_from_original", default=False,
    )  # fmt: skip
    changeBackground = Switch(
        "Change the background too; better not for landscapes and interiors.",
        to="json.change_background", default=True,
    )  # fmt: skip
    style = Choice(
        "standard", "darker_but_realistic", "clean", "smooth", "brighter", "contrasted_n_hdr",
        "just_composition",
        about="The style of the light.", to="json.style", default="standard",
    )  # fmt: skip
    preserveDetails = Switch(
        "Keep texture and small details.", to="json.preserve_details", default=True
    )
    brightness = _level("How bright it is", "brightness")
    contrast = _level("How much contrast it has", "contrast")
    saturation = _level("How strong its colors are", "saturation")
    engine = Choice(
        "automatic", "balanced", "cool", "real", "illusio", "fairy", "colorful_anime",
        "hard_transform", "softy",
        about="The engine that makes it.", to="json.advanced_settings.engine",
    )  # fmt: skip

    @validates_schema
    def check_source(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "referenceImage" in data and "lightmap" in data:
            raise ValidationError("Not allowed together with referenceImage.", "lightmap")


LIT = {
    "light_transfer_strength": 100, "interpolate_from_original": False, "change_background": True,
    "style": "standard", "preserve_details": True,
}  # fmt: skip
RELIT = (
    Exchange(f"GET {RELIGHT}/{TASK}", answered("IN_PROGRESS")),
    Exchange(f"GET {RELIGHT}/{TASK}", answered("COMPLETED", MADE)),
)
relight = Endpoint(
    name="relight-image", vendor=MAGNIFIC, category="image",
    summary="Change the light of a picture, by a text, another picture or a light map.",
    docs=f"{DOCS}/image-relight/post-image-relight", body_limit=BODY_LIMIT,
    takes=Light, asks=post(RELIGHT), job=job(RELIGHT, "relight"), gives=MODELLED,
    examples=(
        Example(
            {
                "image": PHOTO, "prompt": "A clearing at golden hour", "referenceImage": SKETCH,
                "brightness": 60, "contrast": 40, "saturation": 50, "engine": "real",
            },
            (
                Exchange(
                    f"POST {RELIGHT}", answered("CREATED"),
                    body={
                        **LIT, "image": PHOTO, "prompt": "A clearing at golden hour",
                        "transfer_light_from_reference_image": SKETCH,
                        "advanced_settings": {
                            "brightness": 60, "contrast": 40, "saturation": 50, "engine": "real",
                        },
                    },
                ),
                *RELIT,
            ),
        ),
        Example({"image": SKETCH, "lightmap": PHOTO}, (
            Exchange(
                f"POST {RELIGHT}", answered("CREATED"),
                body={**LIT, "image": SKETCH, "transfer_light_from_lightmap": PHOTO},
            ),
            *RELIT,
        )),
    ),
)  # fmt: skip

ENDPOINTS = (style_transfer, relight)
