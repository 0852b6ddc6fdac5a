"""TikTok: a user's own videos are posted from an address at which TikTok fetches them.

The operator must verify the host of that address at TikTok. Until TikTok has audited the operator's
app, only the users themselves can see their posts. Source: developers.tiktok.com/doc/
content-posting-api-reference-direct-post, -query-creator-info, -get-video-status,
content-sharing-guidelines, oauth-user-access-token-management, tiktok-api-v2-error-handling.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from marshmallow import ValidationError, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.faults import GrantRejected, ScopeMissing, forbidden, limited
from service.integrations.declare.fields import Choice, Count, Parameters, Switch, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.oauth2 import OAuth2, Revocation, TokenAnswer
from service.integrations.declare.reading import as_list, as_object, text, unusable
from service.integrations.declare.request import Outgoing, post
from service.integrations.declare.setting import address, base_url, secret
from service.integrations.declare.shape import Each, Made, Shape, Str
from service.integrations.declare.task import Job, Task
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import InvalidRequest, ServiceError, UpstreamFailed

DOCS = "https://developers.tiktok.com/doc/content-posting-api-reference-direct-post"
OAUTH = "https://open.tiktokapis.com/v2/oauth"
PUBLISH = "/v2/post/publish"
PRIVACY = ("PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY")
HOUR = 3600  # TikTok fetches a video within it (content-posting-api-media-transfer-guide)

# Errors that callers can correct, by parameter.
ABOUT = {
    "url_ownership_unverified": ("videoUrl", "Its host is not verified at the vendor."),
    "privacy_level_option_mismatch": ("privacyLevel", "The account does not offer it."),
    "unaudited_client_can_only_post_to_private_accounts": (
        "privacyLevel", "Until the vendor has audited the app, the account must be private.",
    ),
}  # fmt: skip
# Reasons of failed posts that their user can correct.
WHY = {
    "video_pull_failed": "The vendor could not fetch the video from its address.",
    "file_format_check_failed": "The vendor does not take this format of video.",
    "duration_check_failed": "The video is too short or too long for the account.",
    "frame_rate_check_failed": "The vendor does not take the video's frame rate.",
    "picture_size_check_failed": "The vendor does not take the video's width and height.",
    "spam_risk_text": "The vendor does not take this title.",
    "auth_removed": "The user has taken back the app's access.",
}
LIMITS = ("rate_limit_exceeded", "spam_risk_too_many_posts", "reached_active_user_cap")


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal: any code other than `ok`, even with status 200."""
    code = find(reply.body, "error.code")
    match code:
        case "access_token_invalid":
            return GrantRejected()
        case "scope_not_authorized" | "scope_permission_missed":
            return ScopeMissing()
        case "spam_risk_user_banned_from_posting":
            return forbidden()
        case str() if code in LIMITS:
            return limited(reply)
        case str() if code in ABOUT:
            name, why = ABOUT[code]
            return InvalidRequest(details={name: [why]})
    is_refused = reply.status == 200 and code != "ok"
    return UpstreamFailed(upstreamStatus=200) if is_refused else None


TIKTOK = Vendor(
    integration="shortvideo",
    name="tiktok",
    bases=(base_url("TIKTOK_BASE_URL", "https://open.tiktokapis.com"),),
    oauth=OAuth2(
        client_id=secret("TIKTOK_CLIENT_KEY", "the client key of an app at TikTok", kind="text"),
        client_secret=secret("TIKTOK_CLIENT_SECRET", "the secret that goes with the client key"),
        authorize_url=address(
            "TIKTOK_AUTHORIZE_URL", "https://www.tiktok.com/v2/auth/authorize/", "consent page"
        ),
        token_url=address("TIKTOK_TOKEN_URL", f"{OAUTH}/token/", "token endpoint"),
        revocation=Revocation(
            url=address("TIKTOK_REVOKE_URL", f"{OAUTH}/revoke/", "revocation endpoint"),
            has_client=True,
        ),
        tokens=TokenAnswer(account="open_id"),
        client_parameter="client_key",
        pkce=None,  # TikTok supports it only for apps on people's own machines
        separator=",",
        flags={"publish": ("video.publish",)},
    ),
    refusal=_refusal,
)


def _is_https(url: str) -> None:
    """Raise ValidationError unless the URL is https, from which alone TikTok fetches."""
    try:
        parts = urlsplit(url)
        is_fit = parts.scheme == "https" and bool(parts.hostname) and not parts.username
    except ValueError:
        is_fit = False
    if not is_fit:
        raise ValidationError("Must be an https URL.")


def _switch(about: str, target: str) -> Switch:
    return Switch(about, to=f"json.post_info.{target}", default=False)


class Video(Parameters):
    videoUrl = Words(
        "Where the vendor fetches the video: an https URL whose host is verified there.",
        most=2048, checks=(_is_https,), form="uri", to="json.source_info.video_url", required=True,
    )  # fmt: skip
    title = Words(
        "The caption, with its #hashtags and @mentions.",
        least=0, most=2200, to="json.post_info.title",
    )  # fmt: skip
    privacyLevel = Choice(
        *PRIVACY, about="Who can see it: one of those that the account offers.",
        to="json.post_info.privacy_level", default="SELF_ONLY",
    )  # fmt: skip
    disableComment = _switch("Nobody can comment on it.", "disable_comment")
    disableDuet = _switch("Nobody can make a duet of it.", "disable_duet")
    disableStitch = _switch("Nobody can stitch it.", "disable_stitch")
    coverTimestampMs = Count(
        "Which moment of the video is its cover, in milliseconds.",
        least=0, most=3_600_000, to="json.post_info.video_cover_timestamp_ms",
    )  # fmt: skip
    isAiGenerated = _switch("It was made with AI.", "is_aigc")
    brandContent = _switch(
        "It is paid for by another business; not with `SELF_ONLY`.", "brand_content_toggle"
    )
    brandOrganic = _switch("It advertises the user's own business.", "brand_organic_toggle")

    @validates_schema
    def check_brand(self, data: dict[str, Any], **kwargs: Any) -> None:
        if data["brandContent"] and data["privacyLevel"] == "SELF_ONLY":
            raise ValidationError("Not `SELF_ONLY` with `brandContent`.", "privacyLevel")


CREATOR = post(f"{PUBLISH}/creator_info/query/", repeatable=True)


def _publish(call: Call, request: Outgoing, *, privacy_level: str) -> Task:
    creator = _creator(call, privacy_level)
    publish_id = text(call.send(request), "data.publish_id")
    return Task(publish_id, facts={"publishId": publish_id, "creator": creator})


def _creator(call: Call, level: str) -> str:
    """Return the account's name. Raises `InvalidRequest` if it does not offer the level."""
    creator = call.send(CREATOR.with_parts())
    call.effects.acts = 0  # the POST has changed nothing
    offered = [
        one for one in as_list(find(creator, "data.privacy_level_options")) if one in PRIVACY
    ]
    if not offered:
        raise unusable("privacy_level_options")
    if level not in offered:
        raise InvalidRequest(
            details={"privacyLevel": [f"The account offers {', '.join(offered)}."]}
        )
    return text(creator, "data.creator_username")


def _ids(data: Any, values: Mapping[str, Any]) -> list[str]:
    """Return ids, which are too large for JavaScript's numbers, as texts. TikTok misspells the
    name of the field."""
    found = find(data, "publicaly_available_post_id")
    ids = found if isinstance(found, list) else []
    return [str(one) for one in ids if isinstance(one, int | str) and not isinstance(one, bool)]


FACTS = Shape(publishId="publishId", creator=Str("creator", about="The account's name."))
STATE = Shape(
    status="status",
    postIds=Made(
        Each("", Str("", about="Of a post that everybody can see; there is none before that.")),
        _ids,
    ),
)  # fmt: skip


def _task(answer: Any) -> Task:
    data = as_object(find(answer, "data"))
    match status := text(data, "status"):
        case "PUBLISH_COMPLETE":
            return Task("", "done", STATE.read(data))
        case "FAILED":
            return Task("", "failed", WHY.get(find(data, "fail_reason")))
    if not status.startswith("PROCESSING_"):
        raise unusable("status")
    return Task("")


OK = {"code": "ok", "message": "", "log_id": "202611220912"}
ID = "v_pub_url~v2.123456789"
publish = Endpoint(
    name="shortvideo-post-video", vendor=TIKTOK, category="social",
    summary="Post a video from a URL to the user's own account.",
    docs=DOCS, scope="video.publish", seconds=30, takes=Video, run=_publish,
    asks=post(f"{PUBLISH}/video/init/", json={"source_info": {"source": "PULL_FROM_URL"}}),
    job=Job(
        task=_task, poll=post(f"{PUBLISH}/status/fetch/", repeatable=True),
        target="json.publish_id", wait=60, limit=HOUR, interval=5, facts=FACTS,
    ),
    gives=Shape(FACTS, STATE),
    examples=(Example(
        {"videoUrl": "https://videos.example/1.mp4", "title": "A #cat", "coverTimestampMs": 1000},
        (
            Exchange(f"POST {PUBLISH}/creator_info/query/", {
                "data": {
                    "creator_username": "ada", "privacy_level_options": [*PRIVACY],
                    "comment_disabled": False, "max_video_post_duration_sec": 600,
                },
                "error": OK,
            }),
            Exchange(
                f"POST {PUBLISH}/video/init/", {"data": {"publish_id": ID}, "error": OK},
                body={
                    "post_info": {
                        "title": "A #cat", "privacy_level": "SELF_ONLY",
                        "video_cover_timestamp_ms": 1000, "disable_comment": False,
                        "disable_duet": False, "disable_stitch": False, "is_aigc": False,
                        "brand_content_toggle": False, "brand_organic_toggle": False,
                    },
                    "source_info": {
                        "source": "PULL_FROM_URL", "video_url": "https://videos.example/1.mp4",
                    },
                },
            ),
            Exchange(f"POST {PUBLISH}/status/fetch/", {
                "data": {
                    "status": "PUBLISH_COMPLETE",
                    "publicaly_available_post_id": [7_575_000_000_000_000_001],
                },
                "error": OK,
            }, body={"publish_id": ID}),
        ),
    ),),
)  # fmt: skip

ENDPOINTS = (publish,)
