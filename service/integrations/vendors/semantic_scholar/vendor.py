"""Semantic Scholar itself: its address, its key, its refusals, and the ids of its papers."""

import re

from marshmallow import ValidationError

from service.integrations.declare.credential import HeaderKey
from service.integrations.declare.faults import not_found
from service.integrations.declare.fields import Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.path import has_dot_segment
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import InvalidRequest, ServiceError

DOCS = "https://api.semanticscholar.org/api-docs/graph#tag"
LARGEST = 11 << 20  # bytes of an answer: Semantic Scholar refuses requests for more than 10 MB
# The only texts that tell what a 400 is about. Neither is in the vendor's description.
BEYOND = "Requested data for this limit and/or offset is not available"
NONE_OF_THEM = "No valid paper ids given"  # not one paper of a batch is known


def _refusal(reply: Reply) -> ServiceError | None:
    if reply.status != 400:
        return None
    error = find(reply.body, "error")
    if error == BEYOND:
        return InvalidRequest(details={"offset": ["There is nothing beyond the last result."]})
    return not_found() if error == NONE_OF_THEM else None


SCHOLAR = Vendor(
    integration="scholar",
    name="semantic-scholar",
    bases=(base_url("SEMANTIC_SCHOLAR_BASE_URL", "https://api.semanticscholar.org/graph/v1"),),
    credential=HeaderKey(
        secret("SEMANTIC_SCHOLAR_API_KEY", "a key of Semantic Scholar, optional", required=False),
        "x-api-key",
    ),
    refusal=_refusal,
)

ARXIV = r"\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7}"
# Users' forms of ids, and Semantic Scholar's forms. The first that fits is used.
IDS = (
    (rf"https?://(?:www\.)?arxiv\.org/(?:abs|pdf)/({ARXIV})(?:v\d+)?(?:\.pdf)?", "ARXIV:{}"),
    (r"https?://(?:dx\.)?doi\.org/(10\.\d{4,9}/\S+)", "DOI:{}"),
    (r"https?://(?:www\.)?semanticscholar\.org/paper/(?:[^/\s]+/)?([0-9a-f]{40})", "{}"),
    (rf"(?:arxiv:)?({ARXIV})(?:v\d+)?", "ARXIV:{}"),
    (r"(?:doi:)?(10\.\d{4,9}/\S+)", "DOI:{}"),
    (r"([0-9a-f]{40})", "{}"),
    (r"corpusid:(\d{1,12})", "CorpusId:{}"),
    (r"pmid:(\d{1,12})", "PMID:{}"),
    (r"pmcid:(?:pmc)?(\d{1,12})", "PMCID:{}"),
    (r"mag:(\d{1,12})", "MAG:{}"),
    (r"acl:([A-Za-z0-9.-]{1,100})", "ACL:{}"),
)
KINDS = "Semantic Scholar's id, a DOI, an arXiv id, `PMID:…`, `CorpusId:…`, or a link to one"


def paper_id(text: str) -> str:
    """Return an id in Semantic Scholar's form. Raises ValidationError for other texts."""
    for pattern, form in IDS:
        match = re.fullmatch(pattern, text.strip(), re.IGNORECASE)
        if match and not has_dot_segment(match[1]):
            return form.format(match[1])
    raise ValidationError(f"Must be {KINDS}.")


def paper_words(about: str = "") -> Words:
    """Return a parameter that names one paper."""
    return Words(about and f"{about}: {KINDS}.", most=300, checks=(paper_id,))
