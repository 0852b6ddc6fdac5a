"""Pictures that callers send, as an address or base64, and the known media types."""

import base64
import binascii
from collections.abc import Callable
from urllib.parse import urlsplit

from marshmallow import ValidationError, validate

from service.integrations.calling.call import Call
from service.integrations.declare.addresses import check_public_https
from service.integrations.declare.file_fields import AddressOrFile
from service.integrations.declare.request import elsewhere
from service.web.errors import InvalidRequest, ServiceError

LONGEST_ADDRESS = 2048
MOST_SENT = 5 * (1 << 20)  # bytes of a picture in base64, the limit of all uploads
MOST_FETCHED = 10_000_000  # bytes: Magnific's own limit
NEEDED = 20.0  # seconds that must be left for Magnific after a picture was fetched
BODY_LIMIT = 8 * (1 << 20)  # of a whole call: base64 is larger by a third
KINDS = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp"}

_is_url = validate.URL(schemes={"http", "https"})


def picture(about: str, to: str, *, required: bool = False) -> AddressOrFile:
    """Return a parameter for a picture that Magnific loads itself. `to` is a field of the JSON."""
    return _picture(about, "https address", _check, to, required)


def fetched_picture(about: str, to: str, *, required: bool = False) -> AddressOrFile:
    """Return a parameter for a picture that `as_base64` fetches, or else `check_loaded` checks."""
    return _picture(about, "address", _check_fetched, to, required)


def _picture(
    about: str, address: str, check: Callable[[str], None], to: str, required: bool
) -> AddressOrFile:
    return AddressOrFile(
        f"{about} Its {address}, or base64 of at most 5 MiB.",
        most=MOST_SENT, longest_address=LONGEST_ADDRESS, kind="image/*", check=check,
        to=f"json.{to}", required=required,
    )  # fmt: skip


def media_type_of(raw: bytes) -> str | None:
    """Return the media type of a picture by its first bytes, or None for an unknown kind."""
    return next((kind for start, kind in KINDS.items() if raw.startswith(start)), None)


def is_address(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def as_base64(call: Call, name: str, text: str) -> str:
    """Return a picture in base64. An address is fetched, if it is public.

    Raises `InvalidRequest` for any failure, which is not Magnific's fault. If a slow picture used
    up the time, Magnific would seem not to answer, and its breaker would open for all users.
    """
    if not is_address(text):
        return text
    try:
        content, _ = call.send(elsewhere(text, limit=MOST_FETCHED))
    except ServiceError:
        raise InvalidRequest(
            details={name: ["No picture of at most 10 MB could be fetched there."]}
        ) from None
    if call.seconds_left < NEEDED:
        raise InvalidRequest(details={name: ["Took too long to fetch."]})
    return base64.b64encode(content).decode()


def check_loaded(name: str, text: str) -> None:
    """Raise `ValidationError` for an address that Magnific can't load."""
    try:
        _check(text)
    except ValidationError as error:
        raise ValidationError(error.messages, name) from None


def _check(text: str) -> None:
    if is_address(text):
        _check_length(text)
        check_public_https(text)
    else:
        _check_base64(text)


def _check_fetched(text: str) -> None:
    if not is_address(text):
        _check_base64(text)
        return
    _check_length(text)
    _is_url(text)
    try:
        urlsplit(text)
    except ValueError:  # such as http://[::::]
        raise ValidationError("Not a valid URL.") from None


def _check_length(address: str) -> None:
    if len(address) > LONGEST_ADDRESS:
        raise ValidationError(f"An address has at most {LONGEST_ADDRESS} characters.")


def _check_base64(text: str) -> None:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ValidationError("Must be an address or base64.") from None
