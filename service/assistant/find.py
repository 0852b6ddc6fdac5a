"""`integrations.find`: find the endpoints for a task of the user.

Source: docs/contract.md, section 14.1.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from flask import current_app
from marshmallow import Schema, validate

from service.assistant import grants
from service.auth.users import Caller
from service.chat.tools.tool import ToolContext, tool
from service.integrations.calling.proxy import PROXY, Proxy
from service.integrations.declare.categories import CATEGORIES
from service.integrations.declare.endpoint import Endpoint
from service.integrations.documents import body_schema
from service.web.fields import JsonInteger, Text

MOST_FOUND = 20
WORD = re.compile(r"[a-z0-9]+")
STEM = 4  # letters: "mails" equals "mail", and "forecasting" equals "forecast"
IGNORED = frozenset({"the", "and", "for", "with", "from", "that", "this", "what", "find", "some"})
NAME, CATEGORY, SUMMARY, PARAMETER = 6.0, 3.0, 2.0, 1.0  # the weight of a word in each place


class FindQuery(Schema):
    query = Text(
        required=True,
        validate=validate.Length(1, 300),
        metadata={"description": "What to do, in English, such as: send a mail; weather forecast."},
    )
    limit = JsonInteger(load_default=5, validate=validate.Range(1, MOST_FOUND))


@tool("integrations.find", FindQuery(), reads=True)
def find(context: ToolContext, query: str, limit: int) -> dict[str, Any]:
    """Find endpoints outside the app, by what they do: mail, calendar, files, contacts, search,
    news, pictures, weather, places, sports, markets and more. Each comes with the JSON Schema of
    its body for integrations.call, its price in credits, and whether the user is asked first."""
    proxy = PROXY.of(current_app)
    usable = [item for item in proxy.catalog if _is_usable(proxy, context.caller, item)]
    found = rank(usable, query)[:limit]
    connected = grants.check_grants(proxy, found, context)
    return {"endpoints": [_describe(item, connected) for item in found]}


def rank(endpoints: Iterable[Endpoint], query: str) -> list[Endpoint]:
    """Return the endpoints that share words with a query, the best first; equal ones by name."""
    wanted = stems(query)
    scored = [(score(item, wanted), item) for item in endpoints]
    return [item for points, item in sorted(scored, key=_order) if points > 0]


def _order(scored: tuple[float, Endpoint]) -> tuple[float, str]:
    points, item = scored
    return (-points, item.name)


def score(item: Endpoint, wanted: frozenset[str]) -> float:
    """Return how well an endpoint fits. Each wanted word counts once, with its highest weight."""
    places = (
        (NAME, stems(" ".join(item.names))),
        (CATEGORY, stems(CATEGORIES[item.category])),
        (SUMMARY, stems(item.summary)),
        (PARAMETER, stems(" ".join(item.parameters.fields))),
    )
    everywhere = (*places, (0.0, wanted))
    return sum(max(points for points, words in everywhere if word in words) for word in wanted)


def stems(text: str) -> frozenset[str]:
    """Return the first letters of each word of a text, without words of little meaning."""
    separated = re.sub(r"([a-z])([A-Z])", r"\1 \2", text).lower()
    return frozenset(word[:STEM] for word in WORD.findall(separated) if len(word) > 2) - IGNORED


def _is_usable(proxy: Proxy, caller: Caller, item: Endpoint) -> bool:
    permit = caller.permit
    return proxy.is_configured(item) and (permit is None or permit.allows(item.name))


def _describe(item: Endpoint, connected: Mapping[str, bool]) -> dict[str, Any]:
    known = {"connected": connected[item.name]} if item.name in connected else {}
    return {
        "endpoint": item.name,
        "summary": item.summary,
        "credits": item.max_credits,
        "asksUser": not item.access.auto_approve,
        **known,
        "body": body_schema(item),
    }
