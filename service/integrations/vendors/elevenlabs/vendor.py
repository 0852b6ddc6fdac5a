"""ElevenLabs itself: its address, its key, its default voice, and how its refusals are read.

Source: elevenlabs.io/docs/eleven-api/resources/errors.
"""

from service.integrations.declare.credential import HeaderKey
from service.integrations.declare.json_paths import find
from service.integrations.declare.setting import Setting, base_url, secret
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import InvalidRequest, ServiceError, UpstreamFailed

DOCS = "https://elevenlabs.io/docs/api-reference"
VOICE = Setting(
    "ELEVENLABS_VOICE_ID", "the voice where a call names none", default="JBFqnCBsd6RMkjVDRZzb"
)
# The operator's account can't pay, or has no such plan; most of these come with 401.
ABOUT_ACCOUNT = ("quota_exceeded", "insufficient_credits", "payment_required", "paid_plan_required")
# The fault of the parameter that a refusal is about, by the refusal's code.
ABOUT_PARAMETERS = {
    "voice_not_found": {"voiceId": ["The upstream has no such voice."]},
    "invalid_uid": {"voiceId": ["The upstream has no such voice."]},  # the request's only id
    "max_character_limit_exceeded": {"text": ["Too long for this model."]},
    "text_too_long": {"text": ["Too long for this model."]},
}


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. `status` is the older name of `code`."""
    for code in (find(reply.body, "detail.code"), find(reply.body, "detail.status")):
        if code in ABOUT_ACCOUNT:
            return UpstreamFailed(upstreamStatus=reply.status)
        if isinstance(code, str) and code in ABOUT_PARAMETERS and 400 <= reply.status < 500:
            return InvalidRequest(details=ABOUT_PARAMETERS[code])
    return None


ELEVENLABS = Vendor(
    integration="speech",
    name="elevenlabs",
    bases=(base_url("ELEVENLABS_BASE_URL", "https://api.elevenlabs.io"),),
    credential=HeaderKey(
        secret("ELEVENLABS_API_KEY", "the key of an account at ElevenLabs"), "xi-api-key"
    ),
    settings=(VOICE,),
    refusal=_refusal,
)
