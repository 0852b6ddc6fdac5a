"""People Data Labs itself, and the shape of a profile.

Each profile in an answer costs the operator one credit of a plan. A missing profile costs nothing.
Source: docs.peopledatalabs.com/docs/reference-person-search-api, …/docs/errors and
…/docs/usage-limits.
"""

from service.integrations.declare.credential import HeaderKey
from service.integrations.declare.faults import limited, retry_after
from service.integrations.declare.json_paths import find
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.shape import Maybe, Readable, Shape, Str
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import ServiceError

DOCS = "https://docs.peopledatalabs.com/docs"
MINUTE = 60  # seconds of the window in which requests are counted


def _is_nobody(reply: Reply) -> bool:
    """Return whether the API itself answers. A wrong address is a 404 too, without its error."""
    return reply.status != 404 or find(reply.body, "error.type") == "not_found"


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. No request is accepted until the window ends."""
    return limited(reply, retry_after(reply) or MINUTE) if reply.status == 429 else None


PDL = Vendor(
    integration="profnet",
    name="people-data-labs",
    bases=(base_url("PDL_BASE_URL", "https://api.peopledatalabs.com/v5"),),
    credential=HeaderKey(
        secret("PDL_API_KEY", "the key of an account at People Data Labs"), "X-Api-Key"
    ),
    is_own=_is_nobody,
    refusal=_refusal,
)

PROFILE = Shape(
    id="id", name=Maybe("full_name"), title=Maybe("job_title"), company=Maybe("job_company_name"),
    location=Maybe("location_name"), industry=Maybe("industry"),
    profileUrl=Maybe(Str("linkedin_url", about="Without `https://`.")),
    skills=Maybe(Readable("skills")), summary=Maybe("summary"),
)  # fmt: skip
# The requested fields. The vendor's profiles also have addresses and phone numbers.
COLUMNS = (
    "id,full_name,job_title,job_company_name,location_name,industry,linkedin_url,skills,summary"
)
RECORD = {
    "id": "qEnOZ5Oh0poWnQ1luFBfVw_0000", "full_name": "Sean Thorne", "job_title": "Co-Founder",
    "job_company_name": "People Data Labs", "industry": "Computer Software",
    "location_name": "San Francisco, California, United States",
    "linkedin_url": "linkedin.com/in/seanthorne", "skills": ["Entrepreneurship", "Data"],
    "summary": "Founder of a data company.",
}  # fmt: skip
