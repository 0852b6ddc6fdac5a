"""Videos of HeyGen.

The agent works in a session, which has a video only after a while. An avatar's video exists at
once. A task's id is the path of the session or of the video: `video-agents/…` or `videos/…`.
Source: developers.heygen.com/docs/overview, /reference/get-video-agent-session.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from marshmallow import ValidationError, validates_schema

from service.billing.prices import HEYGEN_AGENT, HEYGEN_AVATAR, HEYGEN_AVATAR_4K
from service.integrations.calling.call import Call
from service.integrations.declare.addresses import check_public_https
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange, File
from service.integrations.declare.fields import Choice, Parameters, Several, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.matching import check_not_blank
from service.integrations.declare.meter import Meter, dollars_of
from service.integrations.declare.reading import as_object, text
from service.integrations.declare.request import Outgoing, get, post
from service.integrations.declare.shape import Maybe, Num, Shape, Str
from service.integrations.declare.task import Job, Task
from service.integrations.vendors.heygen.vendor import AVATAR, DOCS, HEYGEN
from service.web.errors import InvalidRequest

State = Literal["running", "done", "failed"]

AGENTS, VIDEOS = "video-agents", "videos"
VIDEO = get("/v3/videos/{id}")
IDENTIFIER = "^[A-Za-z0-9_-]{1,100}$"
OF_AGENT = ("prompt", "orientation", "styleId", "files")
OF_AVATAR = ("aspectRatio", "resolution", "title")
AGENT_SECONDS = 120  # of video, whose price a call holds, as the length is not known before
SECONDS_A_LETTER = 0.1  # of a script that is spoken slowly

DONE = Exchange("GET /v3/videos/v_abc123", File("heygen/video.json"), serves="/v3/videos/{id}")

RESULT = Shape(
    videoUrl=Str("data.video_url", about="HeyGen's own address of the file, for a limited time."),
    thumbnailUrl=Maybe("data.thumbnail_url"), subtitleUrl=Maybe("data.subtitle_url"),
    title=Maybe("data.title"), durationSeconds=Maybe(Num("data.duration")),
)  # fmt: skip
FACTS = Shape(resolution=Maybe(Str("resolution", about="What was asked for.")))


def _as_urls(urls: Sequence[str]) -> list[dict[str, str]]:
    return [{"type": "url", "url": url} for url in urls]


class Video(Parameters):
    prompt = Words(
        "What the video is about; the agent writes and stages it.",
        most=10_000, checks=(check_not_blank,), to="json.prompt",
    )  # fmt: skip
    script = Words(
        "What an avatar says, word for word, in the place of `prompt`.",
        most=5000, checks=(check_not_blank,), to="json.script",
    )  # fmt: skip
    avatarId = Words(
        "The avatar. A script needs one, unless the operator has set it.",
        pattern=IDENTIFIER, to="json.avatar_id",
    )  # fmt: skip
    voiceId = Words("The voice.", pattern=IDENTIFIER, to="json.voice_id")
    orientation = Choice("landscape", "portrait", about="With `prompt`.", to="json.orientation")
    styleId = Words("A style of HeyGen; with `prompt`.", pattern=IDENTIFIER, to="json.style_id")
    files = Several(
        Words(most=2048, checks=(check_public_https,), form="uri"),
        "Public https URLs of material to use; with `prompt`.",
        least=1, most=20, to="json.files", theirs=_as_urls,
    )  # fmt: skip
    aspectRatio = Choice(
        "16:9", "9:16", "4:5", "5:4", "1:1", "auto", about="With `script`.",
        to="json.aspect_ratio",
    )  # fmt: skip
    resolution = Choice(
        "720p", "1080p", "4k", about="With `script`; 4k costs a quarter more.",
        to="json.resolution",
    )  # fmt: skip
    title = Words("Its title at HeyGen; with `script`.", most=200, to="json.title")

    @validates_schema
    def check_kind(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "prompt" not in data and "script" not in data:
            raise ValidationError("Needed unless there is a `script`.", "prompt")
        others, kind = (OF_AGENT, "script") if "script" in data else (OF_AVATAR, "prompt")
        refused = [name for name in others if name in data]
        if refused:
            raise ValidationError(dict.fromkeys(refused, [f"Not together with `{kind}`."]))


def _most(values: Mapping[str, Any]) -> float:
    if "script" in values:
        price = HEYGEN_AVATAR_4K if values.get("resolution") == "4k" else HEYGEN_AVATAR
        return len(values["script"]) * SECONDS_A_LETTER * price
    return AGENT_SECONDS * HEYGEN_AGENT


def _create(
    call: Call,
    request: Outgoing,
    *,
    script: str | None = None,
    avatar_id: str | None = None,
    resolution: str | None = None,
) -> Task:
    facts = {"resolution": resolution}
    if script is None:
        session = call.send(request)
        session_id = text(session, "data.session_id")
        return Task(f"{AGENTS}/{session_id}", _state(session), facts=facts)
    avatar = avatar_id or call.settings.get(AVATAR.name)
    if not avatar:
        raise InvalidRequest(details={"avatarId": ["Needed for a script."]})
    spoken = request.plus(json={"type": "avatar", "avatar_id": avatar})
    video = call.send(replace(spoken, path=spoken.path.replace(AGENTS, VIDEOS)))
    return Task(f"{VIDEOS}/{text(video, 'data.video_id')}", _state(video), facts=facts)


def _state(answer: Any) -> State:
    return "failed" if text(answer, "data.status") == "failed" else "running"


def _video(call: Call, request: Outgoing, answer: Any) -> Any:
    """Return the video of a session, if there is one, with the price of a second."""
    if AGENTS not in request.path:
        return {**as_object(answer), "price": HEYGEN_AVATAR}
    video_id = find(answer, "data.video_id")
    if not isinstance(video_id, str) or not video_id:
        return answer
    video = call.send(VIDEO.with_parts(path={"id": video_id}))
    return {**as_object(video), "price": HEYGEN_AGENT}


def _task(answer: Any) -> Task:
    """Return the task of a session without a video, or of a video. A failed one costs nothing."""
    price = find(answer, "price")
    if price is None or text(answer, "data.status") != "completed":
        return Task("", state := _state(answer), dollars=0 if state == "failed" else None)
    result = RESULT.read(answer)
    return Task("", "done", result, dollars_of(result["durationSeconds"], price))


def _dollars(task: Task) -> Any:
    """Return the cost of an ended task. HeyGen's answers do not tell the video's resolution."""
    if task.dollars is None or task.facts.get("resolution") != "4k":
        return task.dollars
    return task.dollars / HEYGEN_AVATAR * HEYGEN_AVATAR_4K


create = Endpoint(
    name="aivideo-create-video", vendor=HEYGEN, category="ai",
    summary="A video made from a prompt or with an avatar. It takes several minutes.",
    docs=f"{DOCS}/create-video-agent-session", seconds=120, meter=Meter(_most, lambda data: None),
    takes=Video, asks=post(f"/v3/{AGENTS}"), run=_create, gives=Shape(RESULT, FACTS),
    job=Job(
        task=_task, poll=get("/v3/{id+}"), gather=_video, dollars=_dollars, facts=FACTS,
        wait=0, limit=1200, interval=15,
    ),
    examples=(Example(
        {"prompt": "A tour of our product.", "avatarId": "Anna_public_3", "voiceId": "a1b2",
         "orientation": "landscape", "styleId": "modern", "files": ["https://example.com/a.png"]},
        (
            Exchange(
                "POST /v3/video-agents", File("heygen/session.json"),
                body={
                    "prompt": "A tour of our product.", "avatar_id": "Anna_public_3",
                    "voice_id": "a1b2", "orientation": "landscape", "style_id": "modern",
                    "files": [{"type": "url", "url": "https://example.com/a.png"}],
                },
            ),
            Exchange(
                "GET /v3/video-agents/sess_abc123", File("heygen/rendering.json"),
                serves="/v3/video-agents/{id}",
            ),
            DONE,
        ),
    ), Example(
        {"script": "Hello there.", "avatarId": "Anna_public_3", "aspectRatio": "9:16",
         "resolution": "1080p", "title": "Hello"},
        (
            Exchange(
                "POST /v3/videos", File("heygen/waiting.json"), serves="/v3/videos",
                body={
                    "type": "avatar", "script": "Hello there.", "avatar_id": "Anna_public_3",
                    "aspect_ratio": "9:16", "resolution": "1080p", "title": "Hello",
                },
            ),
            DONE,
        ),
    )),
)  # fmt: skip

ENDPOINTS = (create,)
