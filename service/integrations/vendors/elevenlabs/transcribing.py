"""Text from speech. ElevenLabs loads the audio itself, or takes its bytes.

ElevenLabs announced that `scribe_v1` is removed on 9 July 2026, but still describes it as a value.
Source: elevenlabs.io/docs/changelog/2026/6/8.
"""

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.billing.prices import ELEVENLABS_HOUR
from service.integrations.declare.addresses import check_public_https
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import File, example
from service.integrations.declare.fields import Bytes, Choice, Count, Parameters, Switch, Words
from service.integrations.declare.meter import Meter, dollars_of
from service.integrations.declare.request import post
from service.integrations.declare.shape import Each, Maybe, Num, Shape
from service.integrations.vendors.elevenlabs.vendor import DOCS, ELEVENLABS

MIB = 1 << 20
MOST = 8 * MIB  # bytes of audio in a call; longer audio needs an address
HOURS = 1  # of audio, whose price a call holds, as the length is known only afterwards
SWITCH = {True: "true", False: "false"}

TIMED = Shape(
    text="text",
    start=Maybe(Num("start", about="Seconds from the beginning.")),
    end=Maybe(Num("end", about="Seconds from the beginning.")),
)
WORD = Shape(
    TIMED, type="type", speaker=Maybe("speaker_id"),
    characters=Each("characters", TIMED, default=()),
)  # fmt: skip
TRANSCRIPT = Shape(
    text="text", language="language_code", languageProbability=Maybe(Num("language_probability")),
    durationSeconds=Maybe(Num("audio_duration_secs")), words=Each("words", WORD, default=()),
)  # fmt: skip


def _file(content: bytes) -> tuple[str, bytes, str]:
    return "audio", content, "application/octet-stream"


class Recording(Parameters):
    """The parameters, as parts of a multipart form, which ElevenLabs needs even without a file."""

    audioUrl = Words(
        "A public https URL of audio or video, which ElevenLabs loads.",
        most=2048, checks=(check_public_https,), form="uri", to="file.source_url",
    )  # fmt: skip
    audioBase64 = Bytes(
        "Audio or video in base64, at most 8 MiB, in the place of `audioUrl`.",
        most=MOST, to="file.file", theirs=_file,
    )  # fmt: skip
    modelId = Choice(
        "scribe_v1", "scribe_v2",
        about="The model. ElevenLabs has announced the removal of `scribe_v1` for 9 July 2026.",
        to="file.model_id", default="scribe_v2",
    )  # fmt: skip
    languageCode = Words(
        "The language that is spoken, in two or three letters; recognized if it is not given.",
        pattern="^[a-z]{2,3}$", to="file.language_code",
    )  # fmt: skip
    diarize = Switch("Tell the speakers apart.", to="file.diarize", theirs=SWITCH, default=False)
    numSpeakers = Count(
        "At most so many people speak.", least=1, most=32, to="file.num_speakers", theirs=str
    )
    timestampsGranularity = Choice(
        "none", "word", "character", about="What has times.",
        to="file.timestamps_granularity", default="word",
    )  # fmt: skip
    tagAudioEvents = Switch(
        "Name sounds such as laughter.", to="file.tag_audio_events", theirs=SWITCH, default=True
    )

    @validates_schema
    def check_source(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "audioUrl" not in data and "audioBase64" not in data:
            raise ValidationError("Needed unless there is `audioBase64`.", "audioUrl")
        if "audioUrl" in data and "audioBase64" in data:
            raise ValidationError("Not together with `audioUrl`.", "audioBase64")


def _usage(data: Mapping[str, Any]) -> float | None:
    """Return the cost of the audio's length, or of the time until the end of the last word."""
    seconds = data["durationSeconds"]
    if seconds is None:
        ends = (word["end"] for word in data["words"] if word["end"] is not None)
        seconds = max(ends, default=None)
    return dollars_of(seconds, ELEVENLABS_HOUR / 3600)


transcribe = Endpoint(
    name="speech-to-text", vendor=ELEVENLABS, category="ai",
    summary="A transcript of audio or video, word by word.",
    docs=f"{DOCS}/speech-to-text/convert", seconds=600, body_limit=12 * MIB,
    meter=Meter(lambda values: HOURS * ELEVENLABS_HOUR, _usage),
    takes=Recording, asks=post("/v1/speech-to-text", limit=32 * MIB), gives=TRANSCRIPT,
    examples=(example(
        {"audioUrl": "https://example.com/talk.mp3", "languageCode": "en", "diarize": True,
         "numSpeakers": 2},
        "POST /v1/speech-to-text", File("elevenlabs/transcript.json"),
        body={
            "source_url": "https://example.com/talk.mp3", "model_id": "scribe_v2",
            "language_code": "en", "diarize": "true", "num_speakers": "2",
            "timestamps_granularity": "word", "tag_audio_events": "true",
        },
    ), example(
        {"audioBase64": "SUQzBAAAAAAAAA==", "modelId": "scribe_v2", "tagAudioEvents": False,
         "timestampsGranularity": "none"},
        "POST /v1/speech-to-text", File("elevenlabs/transcript.json"),
        body={
            "file": "ID3\x04\x00\x00\x00\x00\x00\x00", "model_id": "scribe_v2", "diarize": "false",
            "timestamps_granularity": "none", "tag_audio_events": "false",
        },
    )),
)  # fmt: skip

ENDPOINTS = (transcribe,)
