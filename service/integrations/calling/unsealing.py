"""Open stored answers and results of jobs for their callers."""

import structlog

from service.sealing.seal import Sealer, Unsealable
from service.web.errors import Unavailable

log = structlog.get_logger("integrations")


class NotOpened(Unavailable):
    """This server does not have the sealing key. Another worker or an operator may have it."""

    message = "The stored answer can't be opened: this server does not have its sealing key."


def unseal(sealer: Sealer, sealed: str, place: str) -> str:
    """Return the text that was sealed for this place. Raises `NotOpened`."""
    try:
        return sealer.open(sealed, place)
    except Unsealable as error:
        log.warning("not opened", why=repr(error))
        raise NotOpened() from None
