"""The columns of a console's session that have its tokens. Each token is sealed for its column."""

import time
from typing import Any

import structlog

from service.auth.tokens import Claims
from service.database.clock import current_time, from_now
from service.sealing import places
from service.sealing.seal import Sealer, Unsealable
from service.sign_in.identity import IssuedTokens
from service.sign_in.models import ConsoleSession

log = structlog.get_logger("sessions")


def columns(
    sealer: Sealer, id_hash: str, bearer: str, claims: Claims, issued: IssuedTokens
) -> dict[str, Any]:
    """Return the columns of a token answer; a column whose token is missing keeps its value."""
    tokens = {"bearer": bearer, "refresh_token": issued.refresh, "id_token": issued.id_token}
    values: dict[str, Any] = {
        name: sealer.seal(token, places.console_session(id_hash, name))
        for name, token in tokens.items()
        if token
    }
    expires_at = from_now(claims.expires - time.time())
    return values | {"expires_at": expires_at, "updated_at": current_time()}


def rotated(sealer: Sealer, row: ConsoleSession, issued: IssuedTokens) -> dict[str, Any]:
    """Return the columns of a new refresh token alone; none without one."""
    if not issued.refresh:
        return {}
    place = places.console_session(row.id_hash, "refresh_token")
    return {"refresh_token": sealer.seal(issued.refresh, place), "version": row.version + 1}


def opened(sealer: Sealer, row: ConsoleSession, column: str) -> str | None:
    """Return the token of a column; None if there is none, or if no key opens it."""
    sealed = getattr(row, column)
    try:
        return sealer.open(sealed, places.console_session(row.id_hash, column)) if sealed else None
    except Unsealable as error:
        log.warning("not opened", why=repr(error))
        return None
