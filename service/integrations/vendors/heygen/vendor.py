"""HeyGen itself: its address, its key, its default avatar, and how its refusals are read.

Source: developers.heygen.com/docs/error-codes.
"""

from service.integrations.declare.credential import HeaderKey
from service.integrations.declare.faults import forbidden
from service.integrations.declare.json_paths import find
from service.integrations.declare.setting import Setting, base_url, secret
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import InvalidRequest, ServiceError, UpstreamFailed

DOCS = "https://developers.heygen.com/reference"
AVATAR = Setting("HEYGEN_AVATAR_ID", "the avatar of a script where a call names none")

# Our parameters by HeyGen's names.
PARAMETERS = {
    "prompt": "prompt", "script": "script", "avatar_id": "avatarId", "voice_id": "voiceId",
    "orientation": "orientation", "style_id": "styleId", "files": "files",
    "aspect_ratio": "aspectRatio", "resolution": "resolution", "title": "title",
}  # fmt: skip


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. A 403 is about the operator's key, or another account's avatar or voice."""
    code = find(reply.body, "error.code")
    # `quota_exceeded` has status 429, but waiting does not help.
    if code in ("insufficient_credit", "quota_exceeded"):
        return UpstreamFailed(upstreamStatus=reply.status)
    if reply.status == 403 and code == "resource_access_denied":
        return forbidden()
    parameter = find(reply.body, "error.param")
    if reply.status == 400 and isinstance(parameter, str) and parameter in PARAMETERS:
        reason = ["The upstream does not accept this value."]
        return InvalidRequest(details={PARAMETERS[parameter]: reason})
    return None


HEYGEN = Vendor(
    integration="aivideo",
    name="heygen",
    bases=(base_url("HEYGEN_BASE_URL", "https://api.heygen.com"),),
    credential=HeaderKey(secret("HEYGEN_API_KEY", "the key of an account at HeyGen"), "x-api-key"),
    settings=(AVATAR,),
    refusal=_refusal,
)
