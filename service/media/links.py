"""Links to media: URLs with a signature that is valid for ten minutes.

Each item has its own key, so that a link becomes invalid with its item.
"""

import hashlib
import hmac
import re
from datetime import datetime, timedelta
from urllib.parse import urlencode

LINK_SECONDS = 600
_MOMENT = re.compile("[0-9]{1,12}")


def sign(key: bytes, media_id: str, expires: int) -> str:
    """Return the signature of a link that expires at this Unix time."""
    return hmac.new(key, f"{media_id}.{expires}".encode(), hashlib.sha256).hexdigest()


def expiry(moment: datetime) -> datetime:
    """Return when a link that is made at `moment` expires, in whole seconds."""
    return moment.replace(microsecond=0) + timedelta(seconds=LINK_SECONDS)


def query_of(key: bytes, media_id: str, moment: datetime) -> str:
    """Return the query of a link that is made at `moment`."""
    expires = int(expiry(moment).timestamp())
    return urlencode({"expires": expires, "signature": sign(key, media_id, expires)})


def is_valid(key: bytes, media_id: str, expires: str, signature: str, moment: datetime) -> bool:
    """Return whether a link with this query may be used at `moment`."""
    if not _MOMENT.fullmatch(expires) or moment.timestamp() >= int(expires):
        return False
    expected = sign(key, media_id, int(expires))
    return hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace"))
