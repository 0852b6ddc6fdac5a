"""The calls of the `proxy` scenario and their answers: places, in the format of Open-Meteo.

Each call has another name, which the answer repeats, so that a mixed-up answer is noticed.
Source: open-meteo.com/en/docs/geocoding-api.
"""

import json
import re

UPSTREAM = "/v1/search?name={name}&count=4&language=en&format=json"
SERVICE = "/api/integrations/geocode-city?city={name}&count=4"
CALL_PREFIX = b" /api/integrations/"
NAME = re.compile(rb"[?&](?:name|city)=([^& ]+)")

_PLACE = {
    "id": 2950159, "name": "@", "latitude": 52.52437, "longitude": 13.41053, "elevation": 74.0,
    "feature_code": "PPLC", "country_code": "DE", "country": "Germany", "admin1": "Land Berlin",
    "admin2": "Berlin, Stadt", "timezone": "Europe/Berlin", "population": 3426354,
}  # fmt: skip
PLACES = 4
_ANSWER = {"results": [_PLACE] * PLACES, "generationtime_ms": 0.5}
BODY = json.dumps(_ANSWER, separators=(",", ":")).encode()  # about 1 KB
HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\n"
    b"content-length: %d\r\n\r\n"
)


def name(number: int) -> str:
    return f"bench-{number:06}"


def path(template: str, number: int) -> str:
    return template.format(name=name(number))


def answer(head: bytes) -> bytes:
    """The upstream's response to a request's head."""
    body = BODY.replace(b'"@"', b'"%b"' % _name(head))
    return HEAD % len(body) + body


def request(head: bytes) -> bytes:
    """The request of a relay to the upstream, for the head of a client's request."""
    path = UPSTREAM.format(name=_name(head).decode())
    return f"GET {path} HTTP/1.1\r\nhost: bench\r\n\r\n".encode()


def _name(head: bytes) -> bytes:
    match = NAME.search(head)
    assert match, head
    return match[1]
