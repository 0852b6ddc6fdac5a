"""Speech from text. ElevenLabs answers with the bytes of the audio.

A voice may cost several times as much as others, if the person who shares it wishes so. Only the
answer tells the cost: a header has it, in the vendor's credits.
Source: elevenlabs.io/docs/api-reference/introduction, "Tracking generation costs".
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.billing import prices
from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange, File
from service.integrations.declare.fields import Amount, Choice, Count, Parameters, Words
from service.integrations.declare.media import MEDIA
from service.integrations.declare.meter import Meter, dollars_of
from service.integrations.declare.path import quote_piece
from service.integrations.declare.reading import unusable
from service.integrations.declare.request import Outgoing, post
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Int, Maybe, Num, Shape
from service.integrations.declare.vendor import Reply
from service.integrations.vendors.elevenlabs.vendor import DOCS, ELEVENLABS, VOICE

# Characters of a text, by model. Source: elevenlabs.io/docs/models.
LONGEST = {
    "eleven_multilingual_v2": 10_000,
    "eleven_v3": 5000,
    "eleven_flash_v2_5": 40_000,
    "eleven_turbo_v2_5": 40_000,
}
MOST = 32 << 20  # bytes of a speech
COST = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
BYTES_A_LETTER = 7.5  # for each kilobit a second: a minute of speech has about 1000 letters


class Speech(Parameters):
    text = Words("What to say.", most=40_000, to="json.text", required=True)
    voiceId = Words(
        "The voice; without it, the one that the operator has set.",
        pattern="^[A-Za-z0-9_-]{1,64}$",
    )  # fmt: skip
    modelId = Choice(
        *LONGEST, about="The model; each has a price, and takes texts of a certain length.",
        to="json.model_id", default="eleven_multilingual_v2",
    )  # fmt: skip
    outputFormat = Choice(
        "mp3_22050_32", "mp3_44100_64", "mp3_44100_96", "mp3_44100_128", "mp3_44100_192",
        "opus_48000_128", about="Codec, samples a second, and kilobits a second.",
        to="query.output_format", default="mp3_44100_128",
    )  # fmt: skip
    languageCode = Words(
        "The language of the text, in two letters; not every model reads it.",
        pattern="^[a-z]{2}$", to="json.language_code",
    )  # fmt: skip
    stability = Amount(
        "How even the voice is; with `eleven_v3`, only 0, 0.5 or 1.",
        least=0, most=1, to="json.voice_settings.stability",
    )  # fmt: skip
    similarityBoost = Amount(
        "How close to the voice's original.", least=0, most=1,
        to="json.voice_settings.similarity_boost",
    )  # fmt: skip
    style = Amount(
        "How much of the original's style.", least=0, most=1, to="json.voice_settings.style"
    )
    speed = Amount("How fast; 1 is as usual.", least=0.7, most=1.2, to="json.voice_settings.speed")
    seed = Count(
        "Repeats a speech, with the same parameters.", least=0, most=2**32 - 1, to="json.seed"
    )

    @validates_schema
    def check_stability(self, data: dict[str, Any], **kwargs: Any) -> None:
        if data["modelId"] == "eleven_v3" and data.get("stability", 0.5) not in (0, 0.5, 1):
            raise ValidationError("Must be 0, 0.5 or 1 with this model.", "stability")

    @validates_schema
    def check_length(self, data: dict[str, Any], **kwargs: Any) -> None:
        if len(data["text"]) > (longest := LONGEST[data["modelId"]]):
            raise ValidationError(f"At most {longest} characters with this model.", "text")
        kilobits = int(data["outputFormat"].rpartition("_")[2])
        if len(data["text"]) * BYTES_A_LETTER * kilobits / data.get("speed", 1) > MOST:
            raise ValidationError(
                "The speech would be too large. Use a shorter text or fewer kilobits.", "text"
            )


def _price(values: Mapping[str, Any]) -> float:
    return len(values["text"]) * prices.ELEVENLABS_CHARACTER[values["modelId"]]


def _usage(data: Mapping[str, Any]) -> float | None:
    return dollars_of(data["characterCost"], prices.ELEVENLABS_CREDIT)


def _speak(
    call: Call, request: Outgoing, *, text: str, model_id: str, voice_id: str | None = None
) -> dict[str, Any]:
    voice = voice_id or call.settings.get(VOICE.name) or VOICE.default or ""
    path = f"{request.path}/{quote_piece('voiceId', voice, False)}"
    reply: Reply = call.send(replace(request, path=path))
    if not reply.raw or not reply.media_type.startswith("audio/"):
        raise unusable("audio")
    return {
        "audio": call.keep(reply.raw, reply.media_type),
        "voiceId": voice,
        "model": model_id,
        "characters": len(text),
        "characterCost": _character_cost(reply),
    }


def _character_cost(reply: Reply) -> float | None:
    """Return the cost in the vendor's credits, or None if the vendor does not report it."""
    cost = reply.headers.get("character-cost", "")
    return float(cost) if COST.fullmatch(cost) else None


speak = Endpoint(
    name="text-to-speech", vendor=ELEVENLABS, category="ai",
    summary="Speech from text, stored for a day.",
    says=Says("Turning text into speech", "Turned {characters} characters into speech"),
    docs=f"{DOCS}/text-to-speech/convert", seconds=120, makes=MOST,
    meter=Meter(_price, _usage),
    takes=Speech, asks=post("/v1/text-to-speech", returns="reply", limit=MOST), run=_speak,
    gives=Shape(
        audio=MEDIA, voiceId="voiceId", model="model", characters=Int("characters"),
        characterCost=Maybe(
            Num("characterCost", about="In ElevenLabs' credits; some voices cost more than others.")
        ),
    ),
    examples=(Example(
        {"text": "The first move.", "modelId": "eleven_flash_v2_5", "languageCode": "en",
         "outputFormat": "mp3_22050_32", "stability": 0.5, "similarityBoost": 0.75, "style": 0,
         "speed": 1.1, "seed": 7},
        (Exchange(
            "POST /v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb?output_format=mp3_22050_32",
            File("elevenlabs/speech.mp3"),
            headers={"Content-Type": "audio/mpeg", "character-cost": "8"},
            serves="/v1/text-to-speech/{voice}", when={"json.text": "The first move."},
            body={
                "text": "The first move.", "model_id": "eleven_flash_v2_5", "language_code": "en",
                "seed": 7, "voice_settings": {
                    "stability": 0.5, "similarity_boost": 0.75, "style": 0, "speed": 1.1,
                },
            },
        ),),
    ), Example(
        {"text": "Hello.", "voiceId": "21m00Tcm4TlvDq8ikWAM"},
        (Exchange(
            "POST /v1/text-to-speech/21m00Tcm4TlvDq8ikWAM?output_format=mp3_44100_128",
            File("elevenlabs/speech.mp3"), headers={"Content-Type": "audio/mpeg"},
            serves="/v1/text-to-speech/{voice}",
            body={"text": "Hello.", "model_id": "eleven_multilingual_v2"},
        ),),
    )),
)  # fmt: skip

ENDPOINTS = (speak,)
