"""Magnific itself: its address and its key.

Its API was called Freepik's until 2026. Its refusals have the usual statuses. A 400 may be
`application/problem+json`, which names Magnific's own parameters. A 403 is about an item of the
stock that our plan does not include; a wrong key is a 401.
Source: docs.magnific.com/authentication, /introduction, and its OpenAPI description.
"""

from service.integrations.declare.credential import HeaderKey
from service.integrations.declare.faults import forbidden
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import ServiceError

HOST = "https://api.magnific.com"
DOCS = "https://docs.magnific.com/api-reference"


def _refusal(reply: Reply) -> ServiceError | None:
    return forbidden() if reply.status == 403 else None


MAGNIFIC = Vendor(
    integration="images",
    name="magnific",
    bases=(base_url("MAGNIFIC_BASE_URL", HOST),),
    credential=HeaderKey(
        secret("MAGNIFIC_API_KEY", "the key of an account at Magnific"), "x-magnific-api-key"
    ),
    refusal=_refusal,
)
