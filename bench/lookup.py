"""What the `proxy` scenario asks and what answers: places of a name, as Open-Meteo tells them.

Each call asks for another name, and that name comes back, so that an answer can't be another's.
Source: open-meteo.com/en/docs/geocoding-api.
"""

import json
import re

UPSTREAM = "/v1/search?name={name}&count=4&language=en&format=json"
OURS = "/api/integrations/geocode-city?city={name}&count=4"
RELAYED = b" /api/integrations/"
NAME = re.compile(rb"[?&](?:name|city)=([^& ]+)")

_PLACE = {
    "id": 2950159, "name": "@", "latitude": 52.52437, "longitude": 13.41053, "elevation": 74.0,
    "feature_code": "PPLC", "country_code": "DE", "country": "Germany", "admin1": "Land Berlin",
    "admin2": "Berlin, Stadt", "timezone": "Europe/Berlin", "population": 3426354,
}  # fmt: skip
PLACES = 4
_FOUND = {"results": [_PLACE] * PLACES, "generationtime_ms": 0.5}
BODY = json.dumps(_FOUND, separators=(",", ":")).encode()  # about 1 KB
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
    body = BODY.replace(b'"@"', b'"%b"' % _asked(head))
    return HEAD % len(body) + body


def request(head: bytes) -> bytes:
    """What a relay asks the upstream when it has been asked this."""
    path = UPSTREAM.format(name=_asked(head).decode())
    return f"GET {path} HTTP/1.1\r\nhost: bench\r\n\r\n".encode()


def _asked(head: bytes) -> bytes:
    found = NAME.search(head)
    assert found, head
    return found[1]
