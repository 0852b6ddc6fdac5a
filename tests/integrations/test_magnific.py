"""Pictures and videos over Magnific's tasks, and which model makes a picture."""

import base64

import pytest

from service.integrations.declare.setting import VENDOR_SETTINGS
from service.integrations.vendors.magnific.tasks import MADE, answered
from service.outbound import guarded
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

PNG = b"\x89PNG\r\n\x1a\n of a picture"
READ = "The prompt asks for text that can be read."
PHOTO = "The picture is to be a photograph."
B64 = base64.b64encode(PNG).decode()
DRAWN = {
    "data": [{"b64_json": B64}],
    "usage": {"input_tokens": 20, "output_tokens": 1000},
}


@pytest.fixture
def without(app):
    """Take the keys of vendors away."""

    def take(*names):
        settings = VENDOR_SETTINGS.of(app)
        VENDOR_SETTINGS.set(
            app, {name: value for name, value in settings.items() if name not in names}
        )

    return take


def test_a_picture_says_which_model_makes_it_and_costs_what_that_one_does(ask, vendor, paid, look):
    vendor.says(answered("CREATED"), answered("IN_PROGRESS"), answered("COMPLETED", MADE))
    first = ask("generate-image", {"prompt": "A photo of a cat", "aspectRatio": "9:16"})
    job = {"status": "running", "model": "mystic", "reason": PHOTO}
    assert first.json["data"] == look(first.json["data"]["jobId"]).json["data"]
    assert first.json["data"].items() > job.items()
    image = {"url": MADE, "mediaType": None, "bytes": None, "expiresAt": None}
    done = look(first.json["data"]["jobId"]).json["data"]
    assert done["result"] == {"images": [image], "model": "mystic", "reason": PHOTO}
    assert vendor.seen[0].json["aspect_ratio"] == "social_story_9_16"
    assert {asked.path.rpartition("/")[0] for asked in vendor.seen[1:]} == {"/v1/ai/mystic"}
    assert paid() == 5.5


@pytest.mark.parametrize(
    ("wish", "model", "credits"),
    [
        ({"prompt": "A cat"}, "seedream-v4", 2),
        ({"prompt": "A cat", "quality": "high"}, "mystic", 5.5),
        ({"prompt": "A cat" * 600, "quality": "draft"}, "hyperflux", 0.5),
    ],
)
def test_a_picked_model_costs_its_own_price(ask, vendor, paid, look, wish, model, credits):
    """Others that the same call might have been given cost more."""
    vendor.says(answered("CREATED"), answered("COMPLETED", MADE))
    job = ask("generate-image", wish).json["data"]
    assert (job["model"], paid()) == (model, credits)
    assert look(job["jobId"]).json["data"]["status"] == "done"
    assert paid() == credits


def test_a_picture_of_the_language_model_is_made_at_once_and_kept(alice, ask, vendor, paid):
    vendor.says(DRAWN)
    done = ask("generate-image", {"prompt": "A logo", "aspectRatio": "16:9"}).json["data"]
    result = done["result"]
    assert (done["status"], result["model"], result["reason"]) == ("done", "llm", READ)
    [image] = result["images"]
    assert (image["mediaType"], image["bytes"]) == ("image/png", len(PNG))
    assert alice.client.get(image["url"]).data == PNG
    assert vendor.seen[0].headers["authorization"] == "Bearer openai-canary"
    assert vendor.seen[0].json["size"] == "1536x864"
    assert paid() == 50 * (20 * 0.000005 + 1000 * 0.00003)


def test_failures_of_one_vendor_do_not_close_the_other(ask, vendor):
    vendor.says(Said({}, 500))
    answers = [ask("generate-image", {"prompt": "A logo"}) for _ in range(6)]
    assert {answer.json["error"] for answer in answers} == {"upstream_provider_error"}
    vendor.says(answered("CREATED"))
    assert ask("generate-image-hyperflux", {"prompt": "A cat", "wait": 0}).status_code == 200
    vendor.seen.clear()
    assert ask("generate-image-llm", {"prompt": "A logo"}).status_code == 502
    assert vendor.seen == []  # this one is left alone


def test_any_of_the_keys_will_do_and_none_is_not_configured(alice, ask, vendor, without):
    def is_configured():
        told = alice.get("/api/integrations/catalog").json["endpoints"]
        return next(one["configured"] for one in told if one["name"] == "generate-image")

    vendor.says(DRAWN)
    without("MAGNIFIC_API_KEY")
    assert ask("generate-image", {"prompt": "A photo"}).json["data"]["result"]["model"] == "llm"
    named = ask("generate-image", {"prompt": "A photo", "model": "mystic"})
    assert is_configured()
    without("MAGNIFIC_API_KEY", "OPENAI_API_KEY")
    neither = ask("generate-image", {"prompt": "A photo"})
    for answer in (named, neither):
        assert (answer.status_code, answer.json["error"]) == (503, "not_configured")
        assert answer.json["setting"] == "MAGNIFIC_API_KEY"
    assert (len(vendor.seen), is_configured()) == (1, False)


def test_a_job_is_asked_for_at_its_own_vendor_alone(ask, vendor, look, without):
    vendor.says(answered("CREATED"))
    job = ask("generate-image", {"prompt": "A photo", "wait": 0}).json["data"]["jobId"]
    without("MAGNIFIC_API_KEY")  # another vendor could make the picture now
    answer = look(job)
    assert (answer.status_code, answer.json["setting"]) == (503, "MAGNIFIC_API_KEY")
    assert len(vendor.seen) == 1


def test_references_of_a_picture_are_fetched(ask, vendor, monkeypatch):
    monkeypatch.setattr(guarded, "is_public", lambda address: str(address) == "127.0.0.1")
    vendor.says(Said(PNG), answered("CREATED"))
    body = {"prompt": "A cat", "styleReference": f"{vendor.url}/style.png", "wait": 0}
    assert ask("generate-image-mystic", body).status_code == 200
    fetched, sent = vendor.seen
    assert (fetched.target, sent.json["style_reference"]) == ("/style.png", B64)
    assert "structure_reference" not in sent.json


@pytest.mark.parametrize("ended", [answered("FAILED"), answered("COMPLETED")])
def test_a_task_that_makes_nothing_has_failed(ask, vendor, look, ended):
    vendor.says(answered("CREATED"), ended)
    job = ask("generate-image-hyperflux", {"prompt": "A cat", "wait": 0}).json["data"]["jobId"]
    for _ in range(2):
        assert look(job).json["error"] == "upstream_provider_error"
    assert len(vendor.seen) == 2


@pytest.mark.parametrize("task_id", ["", "..", "a/b", "a" * 101, None, 5])
def test_an_id_that_no_task_has_is_not_remembered(ask, vendor, task_id):
    vendor.says({"data": {"task_id": task_id, "status": "CREATED"}})
    answer = ask("generate-image-seedream", {"prompt": "A cat", "wait": 0})
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")


def test_pictures_and_videos_cost_by_what_is_asked_for(ask, vendor, paid):
    vendor.says(answered("CREATED"))
    film = {"imageUrl": "https://example.com/cat.jpg", "prompt": "a", "wait": 0}
    loud = {"model": "kling-2.6-pro", "duration": "10", "generateAudio": True}
    spent = 0
    for endpoint, body, credits in [
        ("generate-image-mystic", {"prompt": "a", "resolution": "4k", "wait": 0}, 17.5),
        ("generate-video", film, 12.5),
        ("generate-video", {**film, **loud}, 70),
    ]:
        assert ask(endpoint, body).status_code == 200
        spent += credits
        assert paid() == spent


def test_only_the_latest_model_of_videos_takes_a_ratio_and_sound(ask, vendor):
    film = {"imageUrl": "https://example.com/cat.jpg", "prompt": "a", "model": "kling-2.5-pro"}
    for more in ({"aspectRatio": "1:1"}, {"generateAudio": True}):
        answer = ask("generate-video", {**film, **more})
        assert (answer.status_code, list(answer.json["details"])) == (400, list(more))
    assert vendor.seen == []


@pytest.mark.parametrize(
    ("raw", "kind"),
    [(PNG, "image/png"), (b"\xff\xd8\xff\xe0", "image/jpeg"), (b"RIFF0000WEBP", "image/webp"),
     (b"<html>", None)],
)  # fmt: skip
def test_the_kind_of_a_picture_is_read_from_its_bytes(ask, vendor, raw, kind):
    picture = {"base64": base64.b64encode(raw).decode(), "has_nsfw": False}
    vendor.says({"data": [picture]})
    answer = ask("generate-image-classic", {"prompt": "A cat"})
    if kind is None:
        assert answer.status_code == 502
    else:
        assert answer.json["data"]["images"][0]["mediaType"] == kind


PICTURE = "https://example.com/photo.jpg"
STARTING = {"imageUrl": PICTURE, "prompt": "A cat"}


@pytest.mark.parametrize(
    ("endpoint", "body", "model"),
    [
        ("generate-image-mystic", {"prompt": "A cat", "model": "zen"}, "mystic"),
        ("generate-image-flux-dev", {"prompt": "A cat"}, "flux-dev"),
        ("generate-image-flux-pro", {"prompt": "A cat"}, "flux-pro"),
        ("generate-image-hyperflux", {"prompt": "A cat"}, "hyperflux"),
        ("generate-image-seedream", {"prompt": "A cat"}, "seedream"),
        ("generate-image-seedream-v4", {"prompt": "A cat"}, "seedream-v4"),
        ("generate-video", {**STARTING, "model": "kling-2.6-pro"}, "kling-2.6-pro"),
        ("upscale-image", {"image": PICTURE}, "precision"),
        ("upscale-image", {"image": B64, "mode": "creative"}, "creative"),
        ("expand-image", {"image": B64, "left": 9, "model": "ideogram"}, "ideogram"),
        ("style-transfer-image", {"image": B64, "referenceImage": B64}, "style-transfer"),
        ("relight-image", {"image": B64}, "relight"),
    ],
)
def test_a_result_names_its_model_and_so_does_its_job(ask, vendor, look, endpoint, body, model):
    vendor.says(answered("CREATED"), answered("COMPLETED", MADE))
    begun = ask(endpoint, {**body, "wait": 0}).json["data"]
    assert (begun["status"], begun["model"]) == ("running", model)
    result = look(begun["jobId"]).json["data"]["result"]
    made = "videos" if endpoint == "generate-video" else "images"
    assert result == {made: [{"url": MADE}], "model": model}


def test_pictures_of_classic_tell_what_is_known_of_them(ask, vendor):
    meta = {"seed": 42, "image": {"width": 1024, "height": 768}}
    vendor.says({"data": [{"base64": B64, "has_nsfw": True}], "meta": meta})
    data = ask("generate-image-classic", {"prompt": "A dog"}).json["data"]
    assert [one["hasNsfw"] for one in data["images"]] == [True]
    assert data["meta"] == {"seed": 42, "width": 1024, "height": 768}


def test_a_file_of_an_icon_has_its_format(ask, vendor):
    vendor.says({"data": {"filename": "a.png", "url": "https://x/a.png"}})
    data = ask("download-icon", {"id": 1, "format": "png"}).json["data"]
    named = {"filename": "a.png", "url": "https://x/a.png"}
    assert data == {"id": 1, "format": "png", **named}


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("structureStrength", "structureReference"),
        ("adherence", "styleReference"),
        ("hdr", "styleReference"),
    ],
)
def test_a_strength_goes_only_with_its_reference(ask, vendor, name, other):
    vendor.says(answered("CREATED"))
    body = {"prompt": "A cat", name: 50, "wait": 0}
    for wrong in (body, {**body, **({"styleReference": B64} if name[0] == "s" else {})}):
        answer = ask("generate-image-mystic", wrong)
        assert (answer.status_code, list(answer.json["details"])) == (400, [name])
    assert vendor.seen == []
    assert ask("generate-image-mystic", {**body, other: B64}).status_code == 200


def test_the_look_fluid_takes_some_ratios_only(ask, vendor):
    vendor.says(answered("CREATED"))
    fluid = {"prompt": "A cat", "model": "fluid", "wait": 0}
    for ratio in ("3:2", "social_5_4"):
        refused = ask("generate-image-mystic", {**fluid, "aspectRatio": ratio})
        assert (refused.status_code, list(refused.json["details"])) == (400, ["aspectRatio"])
    assert vendor.seen == []
    for ratio in ("1:1", "16:9", "social_story_9_16", "classic_4_3", "3:4"):
        assert ask("generate-image-mystic", {**fluid, "aspectRatio": ratio}).status_code == 200
    zen = {**fluid, "model": "zen", "aspectRatio": "3:2"}
    assert ask("generate-image-mystic", zen).status_code == 200
