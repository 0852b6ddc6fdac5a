"""The type and the name of an item, in a form that can be stored."""

import re

from service.media.models import NAME_LIMIT, TYPE_LIMIT

UNKNOWN_TYPE = "application/octet-stream"

_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")
_UNNAMEABLE = re.compile(r"[\x00-\x1f\x7f/\\\ud800-\udfff]")


def known_type(media_type: str) -> str:
    """Return a media type without parameters, or the general one if it is not a media type."""
    plain = media_type.partition(";")[0].strip().lower()
    is_known = len(plain) <= TYPE_LIMIT and _MEDIA_TYPE.fullmatch(plain)
    return plain if is_known else UNKNOWN_TYPE


def known_name(name: str) -> str:
    """Return a file's name in a form that can be stored and is not a path."""
    return _UNNAMEABLE.sub("_", name).strip()[:NAME_LIMIT]
