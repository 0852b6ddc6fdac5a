"""Pictures without their background.

Magnific answers with addresses that are valid for five minutes, so the picture is copied at once.
"""

from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.addresses import check_public_https
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange, File
from service.integrations.declare.fields import Parameters, Words
from service.integrations.declare.request import Outgoing, elsewhere, post
from service.integrations.declare.shape import Int, Made, Maybe, Shape, Str, Within
from service.integrations.vendors.magnific.pictures import media_type_of
from service.integrations.vendors.magnific.vendor import DOCS, HOST, MAGNIFIC
from service.media.models import LARGEST_CALL
from service.web.errors import ServiceError

PATH = "/v1/ai/beta/remove-background"
IMAGES = "/v1/ai/beta/images"
PHOTO = "https://example.com/photo.jpg"
LIFETIME = 300  # seconds

ADDRESSES = Shape(
    url="url", highResolutionUrl=Maybe("high_resolution"), previewUrl=Maybe("preview"),
    originalUrl=Maybe("original"),
)  # fmt: skip
IMAGE = Shape(
    url=Str("url", about="A PNG of at most 25 megapixels: in this service, until `expiresAt`. If "
            "that is null, it could not be copied, and is at Magnific for five minutes."),
    mediaType=Maybe("mediaType"), bytes=Maybe(Int("bytes")), expiresAt=Maybe("expiresAt"),
    highResolutionUrl=Maybe("highResolutionUrl"), previewUrl=Maybe("previewUrl"),
)  # fmt: skip
CUTOUT = Shape(
    image=Within("image", IMAGE), originalUrl=Maybe("originalUrl"),
    expiresInSeconds=Made(
        Int("", about="How long Magnific's addresses are good."), lambda item, values: LIFETIME
    ),
)  # fmt: skip


class Cutout(Parameters):
    imageUrl = Words(
        "Where the picture is: a JPEG or PNG of at most 20 MB at a public https address.",
        most=2048, checks=(check_public_https,), to="form.image_url", required=True,
    )  # fmt: skip


def _cut_out(call: Call, request: Outgoing) -> dict[str, Any]:
    found = ADDRESSES.read(call.send(request))
    image = {**found, **(_copy(call, found["url"]) or {})}
    return CUTOUT.read({"image": image, "originalUrl": found["originalUrl"]})


def _copy(call: Call, url: str) -> dict[str, Any] | None:
    """Copy the picture to this service. Return None on failure, as the picture is paid for."""
    try:
        content, _ = call.send(_result(url))
    except ServiceError:
        return None
    kind = media_type_of(content)
    return call.copy(content, kind) if kind else None


def _result(url: str) -> Outgoing:
    """Return the request for a result, with the key only for Magnific's own host."""
    if url.startswith(f"{HOST}/"):
        path = url.removeprefix(HOST)
        return Outgoing(path=path, returns="bytes", limit=LARGEST_CALL, repeatable=True)
    return elsewhere(url, limit=LARGEST_CALL)


remove_background = Endpoint(
    name="remove-background", vendor=MAGNIFIC, category="image",
    summary="Remove the background of a picture and keep the result for a day.",
    docs=f"{DOCS}/remove-background/post-beta-remove-background", seconds=120, copies=LARGEST_CALL,
    takes=Cutout, asks=post(PATH), run=_cut_out, gives=CUTOUT,
    examples=(Example({"imageUrl": PHOTO}, (
        Exchange(
            f"POST {PATH}",
            {
                "original": f"{HOST}{IMAGES}/original/037ea4ea-e8ad84a8c7/thumbnail.jpg",
                "high_resolution": f"{HOST}{IMAGES}/download/037ead-44cd8ad84a8c7/high.png",
                "preview": f"{HOST}{IMAGES}/download/037ea4eacad84a8c7/preview.png",
                "url": f"{HOST}{IMAGES}/download/037ea4ea-720d-411e8ad84a8c7/high.png",
            },
            body={"image_url": PHOTO},
        ),
        Exchange(
            f"GET {IMAGES}/download/037ea4ea-720d-411e8ad84a8c7/high.png",
            File("magnific/picture.png"), headers={"Content-Type": "image/png"},
        ),
    )),),
)  # fmt: skip

ENDPOINTS = (remove_background,)
