"""Speech and transcripts of ElevenLabs: refusals, prices, lengths, and what is kept."""

import base64

import pytest

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

MP3 = Said(b"ID3" + b"\x00" * 30, headers={"Content-Type": "audio/mpeg"})
TALK = {"audioUrl": "https://example.com/talk.mp3"}
HEARD = {"text": "Hello.", "language_code": "eng", "words": [], "audio_duration_secs": 90}
FAILED = (502, "upstream_provider_error")


def refusal(status, code, name="code"):
    return Said({"detail": {name: code, "message": "a text of ElevenLabs"}}, status)


REFUSALS = [
    (refusal(401, "quota_exceeded", "status"), FAILED, []),
    (refusal(400, "quota_exceeded"), FAILED, []),
    (refusal(429, "quota_exceeded"), FAILED, []),
    (refusal(402, "payment_required"), FAILED, []),
    (refusal(401, "invalid_api_key", "status"), FAILED, []),
    (refusal(403, "only_for_creator+", "status"), FAILED, []),
    (refusal(400, "voice_not_found", "status"), (400, "invalid_request"), ["voiceId"]),
    (refusal(404, "voice_not_found"), (400, "invalid_request"), ["voiceId"]),
    (refusal(400, "invalid_uid", "status"), (400, "invalid_request"), ["voiceId"]),
    (refusal(400, "max_character_limit_exceeded"), (400, "invalid_request"), ["text"]),
    (Said({"detail": [{"loc": ["body"], "msg": "a text of ElevenLabs"}]}, 422),
     (400, "invalid_request"), []),
    (refusal(429, "too_many_concurrent_requests", "status"), (429, "rate_limited"), []),
    (refusal(429, "system_busy", "status"), (429, "rate_limited"), []),
    (Said({"detail": {"code": ["quota_exceeded"]}}, 500), FAILED, []),
    (Said({"text": "a text of ElevenLabs"}), FAILED, []),
    (Said(b"", headers={"Content-Type": "audio/mpeg"}), FAILED, []),
]  # fmt: skip


def test_a_refusal_is_told_in_our_words_and_free(ask, vendor, paid):
    for said, outcome, names in REFUSALS:
        vendor.says(said)
        answer = ask("text-to-speech", {"text": "Hello."})
        assert (answer.status_code, answer.json["error"]) == outcome, said
        assert list(answer.json.get("details", ())) == names
        assert "a text of ElevenLabs" not in answer.text
        assert paid() == 0


@pytest.mark.parametrize(
    ("model", "credits"), [("eleven_multilingual_v2", 5), ("eleven_flash_v2_5", 2.5)]
)
def test_a_speech_is_kept_and_costs_by_its_characters(alice, ask, vendor, paid, model, credits):
    vendor.says(MP3)
    data = ask("text-to-speech", {"text": "ä" * 1000, "modelId": model}).json["data"]
    assert (data["model"], data["characters"], data["audio"]["bytes"]) == (model, 1000, 33)
    assert alice.get(data["audio"]["url"]).data == MP3.body
    assert paid() == credits


@pytest.mark.parametrize(
    ("model", "cost", "credits"),
    [
        ("eleven_multilingual_v2", "3000", 15),
        ("eleven_flash_v2_5", "500", 2.5),
        ("eleven_flash_v2_5", "1500.5", 7.5025),
        ("eleven_multilingual_v2", "10001", 5),
        ("eleven_multilingual_v2", "-5", 5),
        ("eleven_multilingual_v2", "free", 5),
    ],
)
def test_a_speech_costs_what_its_voice_does(ask, vendor, paid, model, cost, credits):
    vendor.says(Said(MP3.body, headers={**MP3.headers, "character-cost": cost}))
    data = ask("text-to-speech", {"text": "a" * 1000, "modelId": model}).json["data"]
    assert data["characterCost"] == (float(cost) if cost[0].isdigit() else None)
    assert paid() == credits


def test_the_operators_voice_speaks_where_a_call_names_none(app, ask, vendor):
    app.extensions["vendor_settings"]["ELEVENLABS_VOICE_ID"] = "theirs"
    vendor.says(MP3)
    voices = [ask("text-to-speech", {"text": "a"}).json["data"]["voiceId"]]
    voices += [ask("text-to-speech", {"text": "a", "voiceId": "b"}).json["data"]["voiceId"]]
    assert voices == ["theirs", "b"]
    paths = [asked.target.partition("?")[0] for asked in vendor.seen]
    assert paths == ["/v1/text-to-speech/theirs", "/v1/text-to-speech/b"]


TOO_LONG = [
    {"text": "a" * 10_001},
    {"text": "a" * 5001, "modelId": "eleven_v3"},
    {"text": "a" * 40_000, "modelId": "eleven_flash_v2_5"},
    {"text": "a" * 40_000, "modelId": "eleven_flash_v2_5", "outputFormat": "mp3_44100_96",
     "speed": 0.7},
]  # fmt: skip


def test_a_text_that_is_too_long_is_refused(ask, vendor):
    for body in TOO_LONG:
        answer = ask("text-to-speech", body)
        assert (answer.status_code, list(answer.json["details"])) == (400, ["text"])
        assert vendor.seen == []


def test_the_newest_model_knows_three_stabilities(ask, vendor):
    """Source: ElevenLabs' 400, "Invalid TTD stability value. Must be one of: [0.0, 0.5, 1.0]"."""
    vendor.says(MP3)
    refused = ask("text-to-speech", {"text": "a", "modelId": "eleven_v3", "stability": 0.4})
    assert refused.json["details"] == {"stability": ["Must be 0, 0.5 or 1 with this model."]}
    assert vendor.seen == []
    for model, stability in [("eleven_v3", 1), ("eleven_v3", 0.5), ("eleven_flash_v2_5", 0.4)]:
        said = ask("text-to-speech", {"text": "a", "modelId": model, "stability": stability})
        assert said.status_code == 200


def test_the_old_model_for_transcripts_is_still_passed_on(ask, vendor):
    """ElevenLabs decides. Source of the removal: elevenlabs.io/docs/changelog/2026/6/8."""
    vendor.says(HEARD)
    assert ask("speech-to-text", {**TALK, "modelId": "scribe_v1"}).status_code == 200
    assert b"scribe_v1" in vendor.seen[0].body


@pytest.mark.parametrize(("seconds", "credits"), [(90, 0.275), (7200, 22), (None, 11)])
def test_a_transcript_costs_by_the_length_of_the_audio(ask, vendor, paid, seconds, credits):
    vendor.says({**HEARD, "audio_duration_secs": seconds})
    assert ask("speech-to-text", TALK).json["data"]["durationSeconds"] == seconds
    assert paid() == credits


def test_a_transcript_without_a_length_costs_until_its_last_word(ask, vendor, paid):
    words = [
        {"text": "Hello", "type": "word", "start": 0, "end": 90},
        {"text": ".", "type": "word", "end": None},
    ]
    vendor.says({**HEARD, "audio_duration_secs": None, "words": words})
    assert ask("speech-to-text", TALK).status_code == 200
    assert paid() == 0.275


NOT_PUBLIC = [
    ({}, ["audioUrl"]),
    ({**TALK, "audioBase64": "AAAA"}, ["audioBase64"]),
    ({"audioUrl": "http://example.com/talk.mp3"}, ["audioUrl"]),
    ({"audioUrl": "https://localhost/talk.mp3"}, ["audioUrl"]),
    ({"audioUrl": "https://169.254.169.254/talk.mp3"}, ["audioUrl"]),
]  # fmt: skip


def test_audio_comes_from_one_public_place(ask, vendor):
    for body, names in NOT_PUBLIC:
        answer = ask("speech-to-text", body)
        assert (answer.status_code, list(answer.json["details"])) == (400, names)
        assert vendor.seen == []


def test_bytes_of_audio_may_be_larger_than_other_bodies(ask, vendor):
    content, vendor_says = b"\xff" * (3 << 20), vendor.says
    vendor_says(HEARD)
    sent = {"audioBase64": base64.b64encode(content).decode()}
    assert ask("speech-to-text", sent).status_code == 200
    assert content in vendor.seen[0].body
