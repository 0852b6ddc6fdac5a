"""API-SPORTS itself: a host for each sport, one key for all, and how its refusals are read.

Each sport is a separate integration, so that an app decides for each sport who pays, and a host
that is down does not stop the others.
Source: api-sports.io/documentation/football/v3, "Authentication" and "Headers sent as response".
"""

import time
from collections.abc import Mapping, Set
from functools import partial
from typing import Any

from service.integrations.declare.credential import HeaderKey
from service.integrations.declare.example import Example, File, example
from service.integrations.declare.faults import limited, retry_after
from service.integrations.declare.json_paths import find
from service.integrations.declare.request import get
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import InvalidRequest, ServiceError, UpstreamFailed

DOCS = "https://api-sports.io/documentation"
MINUTE, DAY = 60, 24 * 3600  # seconds
# Faults of the operator's account, or of API-SPORTS itself.
OURS = {"token", "access", "subscription", "ip", "plan", "bug", "endpoint"}

OUR_NAMES = {"country_id": "countryId"}  # of the vendor's parameters, which its errors name

# 204 is documented for an answer without content.
fetch = partial(get, instead={204: {"response": []}})


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal from `errors`: an empty list for a success, texts by cause for a refusal."""
    if reply.status == 429:
        return limited(reply, _pause(reply))
    errors = find(reply.body, "errors") if reply.status < 500 else None
    return _error(reply, _causes(errors)) if errors else None


def _causes(errors: Any) -> Set[str]:
    """Return the keys of `errors`, which is an object or a list of objects."""
    objects = errors if isinstance(errors, list) else [errors]
    return {name.lower() for one in objects if isinstance(one, dict) for name in one}


def _error(reply: Reply, causes: Set[str]) -> ServiceError:
    if "ratelimit" in causes:
        return limited(reply, MINUTE)
    if "requests" in causes:
        return limited(reply, _until_midnight())
    if causes & OURS or not causes:
        return UpstreamFailed(upstreamStatus=reply.status)
    names = {OUR_NAMES.get(name, name) for name in causes - {"required"}}
    details = {name: ["The upstream refuses its value, or needs it here."] for name in names}
    return InvalidRequest("The upstream does not accept these parameters.", details=details)


def _pause(reply: Reply) -> int:
    """Return the seconds of `Retry-After`, or those until a used-up quota starts again."""
    is_used_up = reply.headers.get("x-ratelimit-requests-remaining") == "0"
    return retry_after(reply) or (_until_midnight() if is_used_up else MINUTE)


def _until_midnight() -> int:
    """Return the seconds until the daily quota starts again, at 00:00 UTC."""
    return DAY - int(time.time()) % DAY


KEY = secret("APISPORTS_API_KEY", "the key of an account at API-SPORTS, the same for all sports")


def _vendor(sport: str, setting: str, host: str) -> Vendor:
    return Vendor(
        integration=sport,
        name=f"api-{sport}",
        bases=(base_url(setting, f"https://{host}.api-sports.io"),),
        credential=HeaderKey(KEY, "x-apisports-key"),
        refusal=_refusal,
    )


FOOTBALL = _vendor("football", "APISPORTS_FOOTBALL_BASE_URL", "v3.football")
BASKETBALL = _vendor("basketball", "APISPORTS_BASKETBALL_BASE_URL", "v1.basketball")
NFL = _vendor("nfl", "APISPORTS_NFL_BASE_URL", "v1.american-football")
BASEBALL = _vendor("baseball", "APISPORTS_BASEBALL_BASE_URL", "v1.baseball")


def examples(answer: str, *calls: tuple[Mapping[str, Any], str]) -> tuple[Example, ...]:
    """Return examples of calls with their requests' targets. `answer` names the file for all."""
    file = File(f"api_sports/{answer}.json")
    return tuple(example(asks, f"GET {target}", file) for asks, target in calls)
