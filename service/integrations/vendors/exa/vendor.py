"""Exa itself: its address, its key, and how its refusals are read.

Source: exa.ai/docs/admin/error-codes.
"""

from service.integrations.declare.credential import HeaderKey
from service.integrations.declare.faults import forbidden, not_found
from service.integrations.declare.json_paths import find
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.shape import Maybe, Num, Shape
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import ServiceError, UpstreamFailed

DOCS = "https://exa.ai/docs/reference"
BLOCKED = ("ROBOTS_FILTER_FAILED", "PROHIBITED_CONTENT")
REQUEST = Shape(requestId=Maybe("requestId"), costDollars=Maybe(Num("costDollars.total")))


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. A 403 is about our plan or about the request; a 410 is a removed path.

    A 501 means that nothing was found to answer a question, and not that Exa is down.
    """
    tag = find(reply.body, "tag") or find(reply.body, "error.code")
    if reply.status == 403 and tag in BLOCKED:
        return forbidden()
    if reply.status == 501:
        return not_found()
    if reply.status == 410:
        return UpstreamFailed(upstreamStatus=410)
    return None


EXA = Vendor(
    integration="neuralsearch",
    name="exa",
    bases=(base_url("EXA_BASE_URL", "https://api.exa.ai"),),
    credential=HeaderKey(secret("EXA_API_KEY", "the key of an account at Exa"), "x-api-key"),
    refusal=_refusal,
)
