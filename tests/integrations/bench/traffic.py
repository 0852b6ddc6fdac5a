"""Requests to vendors in one comparable form: as they were sent, and as an example states them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from email import message_from_bytes
from typing import Any
from urllib.parse import parse_qsl, urlencode

from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Exchange
from service.integrations.declare.vendor import Vendor
from tests.integrations.scripted_vendor import Asked

CANARY = "-canary"  # ends every credential of the bench
USUAL = {
    "host", "connection", "accept", "accept-encoding", "user-agent", "content-type",
    "content-length",
}  # fmt: skip
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Sent:
    """One request: `base` is its base URL's setting, `path` as in the request line.

    A form is a list of pairs, a multipart form a mapping, another multipart body a list of parts.
    """

    base: str
    method: str
    path: str
    query: list[tuple[str, str]]
    body: Any
    headers: Mapping[str, str]  # in lower case, but for those of every request to the vendor

    @property
    def order(self) -> str:
        return repr(self)


def sent(asked: Asked, vendor: Vendor | None = None) -> Sent:
    """The base URL is the first piece of the path. Credentials are left out."""
    path, _, query = asked.target.partition("?")
    _, base, *pieces = path.split("/", 2)
    pairs = [(name, text) for name, text in _pairs(query) if CANARY not in text]
    path = "".join(f"/{piece}" for piece in pieces)
    return Sent(base, asked.method, path, pairs, _body(asked), _headers(asked, vendor))


def stated(endpoint: Endpoint, exchange: Exchange) -> Sent:
    """What an exchange of an endpoint's example says."""
    path, _, query = exchange.target.partition("?")
    base = exchange.base or endpoint.vendor.bases[0].name
    headers = {name.lower(): text for name, text in exchange.sends_headers.items()}
    return Sent(base, exchange.method, path, _pairs(query), exchange.body, headers)


def is_stated(one: Sent, stated: Sent) -> bool:
    """Whether a request is the stated one. A form is stated as a mapping."""
    body = stated.body
    if _is_form(one.body) and isinstance(body, Mapping):
        body = _pairs(urlencode(body, doseq=True))
    elif isinstance(one.body, bytes) and isinstance(body, str):
        body = body.encode()
    elif one.body is not None and not isinstance(one.body, bytes):
        body = _plain(body)
    place = (one.base, one.method, one.path, one.query, one.headers)
    there = (stated.base, stated.method, stated.path, stated.query, stated.headers)
    return place == there and one.body == body


def credentials(asked: Asked) -> dict[str, str]:
    """Every header and query value with a credential in it, by `header name` or `?name`."""
    headers = {name: text for name, text in asked.headers.items() if _is_secret(name, text)}
    query = _pairs(asked.target.partition("?")[2])
    return headers | {f"?{name}": text for name, text in query if CANARY in text}


def _headers(asked: Asked, vendor: Vendor | None) -> dict[str, str]:
    usual = {*USUAL, *(name.lower() for name in (vendor.headers if vendor else ()))}
    named = {name.lower(): text for name, text in asked.headers.items()}
    return {n: t for n, t in named.items() if n not in usual and not _is_secret(n, t)}


def _is_secret(name: str, text: str) -> bool:
    return CANARY in text or name == "authorization"


def _pairs(query: str) -> list[tuple[str, str]]:
    return sorted(parse_qsl(query, keep_blank_values=True))


def _is_form(body: Any) -> bool:
    return isinstance(body, list) and bool(body) and all(isinstance(one, tuple) for one in body)


def _body(asked: Asked) -> Any:
    media_type = asked.headers.get("content-type", "").partition(";")[0]
    if not asked.body:
        return None
    if media_type == "application/json":
        return json.loads(asked.body)
    if media_type == FORM:
        return _pairs(asked.body.decode())
    if media_type.startswith("multipart/"):
        return _parts(asked)
    return asked.body


def _parts(asked: Asked) -> Any:
    head = f"Content-Type: {asked.headers['content-type']}\r\n\r\n".encode()
    parts = list(message_from_bytes(head + asked.body).walk())[1:]
    values = [_part(part.get_content_type(), part.get_payload(decode=True)) for part in parts]
    names = [part.get_param("name", header="content-disposition") for part in parts]
    return dict(zip(names, values, strict=True)) if all(names) else values


def _part(media_type: str, content: bytes) -> Any:
    if media_type == "application/json":
        return json.loads(content)
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


def _plain(body: Any) -> Any:
    """Stated in Python, compared as JSON; the file of a form may stand with its name and type."""
    if isinstance(body, tuple) and len(body) == 3 and isinstance(body[1], bytes):
        return _part("", body[1])
    if isinstance(body, Mapping):
        return {name: _plain(value) for name, value in body.items()}
    return [_plain(value) for value in body] if isinstance(body, list | tuple) else body
