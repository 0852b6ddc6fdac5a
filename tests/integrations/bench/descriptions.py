"""Whether the published description of a vendor, where we have one, allows a request.

`SPECS_DIR` holds the descriptions, which are not part of this project. A vendor is found there by
the host of its base URL.
"""

import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from service.integrations.declare.vendor import Vendor
from tests.integrations.bench.traffic import CANARY, sent
from tests.integrations.descriptions import Operation, find, operations, wrong_request
from tests.integrations.scripted_vendor import Asked

SPECS = os.environ.get("SPECS_DIR")
# What a vendor takes that its description does not have, by host and name of a field of the body
# or the query.
NEWER = {
    ("api.exa.ai", "budget"),  # exa.ai/docs/admin/pricing
    ("api.firecrawl.dev", "skip"),  # in the `next` of docs.firecrawl.dev/features/crawl
}
# Operations that a description lacks, by host, method and the start of the path.
UNDESCRIBED = {
    ("api.heygen.com", "GET", "/v3/video-agents/"),  # /reference/get-video-agent-session
    # The address of a result, in the description's example of remove-background.
    ("api.magnific.com", "GET", "/v1/ai/beta/images/download/037ea4ea-720d-411e8ad84a8c7/"),
}
# What a description requires in the query and the vendor takes in a header, by host and name.
IN_HEADER = {("slack.com", "token")}  # docs.slack.dev/apis/web-api

# Parameters whose pattern or enumeration in the description is prose, such as `YYYY-MM-DD`.
PROSE = {
    ("v3.football.api-sports.io", name)
    for name in ("code", "current", "date", "from", "id", "ids", "live", "status", "to")
}
# Hosts whose description is of an API that has ended since.
ENDED = {"api.perplexity.ai"}  # docs.perplexity.ai/docs/agent-api/migrate-from-sonar


@cache
def known(host: str) -> tuple[Operation, ...]:
    """The operations at a host that its vendor describes; others' accounts are no statement."""
    files = sorted(Path(SPECS).rglob("*.[jy]*")) if SPECS and host not in ENDED else []
    own = [str(path) for path in files if ".secondary." not in path.name]
    return tuple(one for path in own for one in operations(path) if one.host == host)


def faults(vendor: Vendor, asked: Asked) -> Iterator[str]:
    """What is wrong with a request, by the description of its vendor."""
    host, path = place(vendor, asked)
    if not host or not known(host):
        return
    texts = parse_qs(asked.target.partition("?")[2], keep_blank_values=True)
    operation = find(known(host), asked.method, path, texts)
    if operation is None:
        start = path.rpartition("/")[0] + "/"
        if (host, asked.method, start) not in UNDESCRIBED:
            yield f"{host} has no operation {asked.method} {path}"
        return
    own = {
        name: some
        for name, some in texts.items()
        if not any(CANARY in one for one in some) and (host, name) not in {*NEWER, *PROSE}
    }
    body, form = sent(asked).body, None
    if "form" in asked.headers.get("content-type", ""):
        body, form = None, dict(body) if body else {}
    elif isinstance(body, dict) and operation.body is None and _has_form(operation):
        # Slack: the parameters of a form, in JSON
        texts = {k: it if isinstance(it, str) else json.dumps(it) for k, it in body.items()}
        body, form = None, texts
    elif isinstance(body, dict):
        body = {name: it for name, it in body.items() if (host, name) not in NEWER}
    elif asked.headers.get("content-type", "").startswith("multipart/related"):
        body = body[0]  # what describes the upload
    elif isinstance(body, bytes):
        body = None
    for fault in wrong_request(operation, path, own, body, form):
        missing = fault.removesuffix(": is missing")
        if (host, missing) not in IN_HEADER and missing not in texts.keys() - own.keys():
            yield f"{operation.name}: {fault}"


def _has_form(operation: Operation) -> bool:
    return any(place == "formData" for place, _ in operation.parameters)


def has(vendor: Vendor, asked: Asked) -> bool:
    """Whether a vendor's description says anything of a request."""
    host, _ = place(vendor, asked)
    return bool(host and known(host))


def opens(vendor: Vendor, asked: Asked, scope: str) -> bool | None:
    """Whether a scope opens the operation of a request; None where no description says so."""
    host, path = place(vendor, asked)
    operation = find(known(host), asked.method, path, {})
    if operation is None or not operation.scopes:
        return None
    return _path(scope) in map(_path, operation.scopes)


def _path(scope: str) -> str:
    return scope.rstrip("/").rpartition("/")[2]


def place(vendor: Vendor, asked: Asked) -> tuple[str, str]:
    """The host and the whole path that a request would have gone to."""
    request = sent(asked)
    setting = next((one for one in vendor.bases if one.name == request.base), vendor.bases[0])
    url = urlsplit(re.sub(r"\{\w+\}", "en", setting.default or ""))  # descriptions have one example
    return url.netloc, url.path.rstrip("/") + request.path
