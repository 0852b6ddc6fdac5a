"""OpenAI itself: its address, its key, its default models, and how its refusals are read.

Source: developers.openai.com/api/docs/guides/error-codes.
"""

from service.integrations.declare.credential import bearer
from service.integrations.declare.json_paths import find
from service.integrations.declare.setting import Setting, base_url, secret
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import InvalidRequest, ServiceError, UpstreamFailed

DOCS = "https://developers.openai.com/api/reference/resources"
TEXT_MODEL = Setting(
    "OPENAI_TEXT_MODEL",
    "the model of texts where a call names none; another model than those of `gpt-5.4` is charged "
    "like `gpt-5.4-mini`",
    default="gpt-5.4-mini",
)
IMAGE_MODEL = Setting(
    "OPENAI_IMAGE_MODEL", "the model of images where a call names none", default="gpt-image-2"
)
# The operator's account can't pay, or may not use the model. Waiting does not help, so these are
# not rate limits, though some of them have status 429.
ABOUT_ACCOUNT = (
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "model_not_found",
)
# Our parameters that not every model takes, or takes with other values, by OpenAI's names.
PARAMETERS = {
    "temperature": "temperature", "max_completion_tokens": "maxTokens", "size": "size",
    "quality": "quality", "background": "background",
}  # fmt: skip
ABOUT_CONTENT = ("content_policy_violation", "content_filter", "moderation_blocked")


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. A 404 is about the model or the base URL, which the operator sets."""
    codes = (find(reply.body, "error.code"), find(reply.body, "error.type"))
    if reply.status == 404 or any(code in ABOUT_ACCOUNT for code in codes):
        return UpstreamFailed(upstreamStatus=reply.status)
    if reply.status == 400 and any(code in ABOUT_CONTENT for code in codes):
        return InvalidRequest("The upstream's rules do not allow this content.", details={})
    parameter = find(reply.body, "error.param")
    if reply.status == 400 and isinstance(parameter, str) and parameter in PARAMETERS:
        reason = ["The upstream's model does not accept this value."]
        return InvalidRequest(details={PARAMETERS[parameter]: reason})
    return None


OPENAI = Vendor(
    integration="aimodels",
    name="openai",
    bases=(base_url("OPENAI_BASE_URL", "https://api.openai.com/v1"),),
    credential=bearer(secret("OPENAI_API_KEY", "the key of a project at OpenAI")),
    settings=(TEXT_MODEL, IMAGE_MODEL),
    refusal=_refusal,
)
