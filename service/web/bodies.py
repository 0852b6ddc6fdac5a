"""The JSON in the body of a request, and its limits. Source: docs/contract.md, section 3.12."""

import json
import re
from typing import Any

from gunicorn.http.errors import ParseException
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from service.current_request import current_request
from service.web.errors import InvalidRequest, TooLarge
from service.web.json_depth import MAX_DEPTH, TooDeep
from service.web.json_values import decode

VALUES = 25_000  # in a JSON body
NO_JSON = "The body is not valid JSON."
ENCODED = "The body is not valid JSON. Send it without compression and without Content-Encoding."
# A text without a closing mark extends to the end of the body. Otherwise the search would begin
# again at each escaped quotation mark in it, and take half an hour for one mebibyte.
_TEXTS = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)


def read_json() -> Any:
    """Return the JSON of the request's body, or `{}` if there is no body.

    Raises `InvalidRequest`, `TooLarge`.
    """
    return parse_json(read_body())


def parse_json(raw: bytes) -> Any:
    """Return the JSON of a body, or `{}` for an empty one. Raises as `read_json` does."""
    if not raw:
        return {}
    try:
        text = raw.decode(json.detect_encoding(raw), "surrogatepass")
        if not has_at_most(VALUES, text):
            raise TooLarge(f"A body may have at most {VALUES} values.", limit=VALUES)
        return decode(text)
    except TooDeep:
        message = f"The body nests too deep: up to {MAX_DEPTH} levels are accepted."
        raise InvalidRequest(message, details={}) from None
    except ValueError:
        is_encoded = "HTTP_CONTENT_ENCODING" in current_request().environ
        raise InvalidRequest(ENCODED if is_encoded else NO_JSON, details={}) from None


def read_body() -> bytes:
    """Return the whole body, or raise an error.

    werkzeug truncates a chunked body that is too large. If a body ends before its length, gunicorn
    returns the part that has arrived.
    """
    request = current_request()
    limit, length = request.max_content_length, request.content_length
    try:
        if length is not None and limit is not None and length <= limit:
            # This takes a third of werkzeug's time.
            raw: bytes = request.environ["wsgi.input"].read(length)
        else:
            raw = request.get_data()
            if len(raw) == limit and request.environ["wsgi.input"].read(1):
                raise _too_large(limit)
    except RequestEntityTooLarge:
        raise _too_large(limit) from None
    except ParseException:
        raise InvalidRequest("The body's chunks are malformed.", details={}) from None
    except OSError:  # the client has reset the connection, which is no failure of the service
        raise ClientDisconnected() from None
    if len(raw) < (length or 0):
        raise InvalidRequest("The body is shorter than its Content-Length.", details={})
    return raw


def _too_large(limit: int | None) -> TooLarge:
    limit = limit or 0
    return TooLarge(f"A body may have at most {limit / (1 << 20):.3g} MiB.", limit=limit)


def has_at_most(values: int, json_text: str) -> bool:
    """Return whether a JSON text has at most `values` values, without parsing it.

    Parsing, checking and writing one mebibyte of empty lists takes half a second, a hundred times
    as long as for one text of that size. A list or an object counts twice.
    """

    def count(text: str) -> int:
        return text.count(",") + text.count("[") + text.count("{")

    if count(json_text) <= values:
        return True
    texts = (json_text.count('"') - json_text.count('\\"')) // 2  # values and keys
    return texts <= 2 * values and count(_TEXTS.sub("", json_text)) <= values
