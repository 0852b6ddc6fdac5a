"""The state of a call that waits for a consent: the client keeps it, and sends it back once.

It is sealed for its user, and names the call that it belongs to. The database's clock decides
whether it has expired: a worker whose own clock is behind could otherwise accept it again after its
row was swept. Source:
https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr.
"""

import json
import time
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, literal, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from service.auth import user_locks
from service.chat.earlier_writes import fingerprint_of
from service.column_types import UTCDateTime
from service.database.access import write_transaction
from service.database.clock import current_time, from_now
from service.mcp.models import UsedState
from service.sealing import places
from service.sealing.seal import Sealer, Unsealable

LIFETIME = 600  # seconds, the same as the lifetime of the link
KEPT_SECONDS = 60  # after a state's expiry; a transaction that found it valid ends earlier


class UnusableState(Exception):
    """A state that is not ours, belongs to another call or user, has expired, or was used."""


def issue(sealer: Sealer, user_id: str, call_id: str, tool: str, arguments: Any) -> str:
    """Return the state of a call, which will continue with the same `call_id`."""
    facts = {
        "call": call_id,
        "input": fingerprint_of(tool, arguments),
        "expires": int(time.time()) + LIFETIME,
    }
    return sealer.seal(json.dumps(facts), places.mcp_state(user_id))


def use(sealer: Sealer, user_id: str, state: Any, tool: str, arguments: Any) -> str:
    """Return the `call_id` of a state, and mark the state as used. Raises `UnusableState`.

    Needs an app context.
    """
    try:
        facts = json.loads(sealer.open(str(state), places.mcp_state(user_id)))
    except Unsealable:
        raise UnusableState from None
    if facts["input"] != fingerprint_of(tool, arguments):
        raise UnusableState
    expires_at = datetime.fromtimestamp(facts["expires"], UTC)
    used = UsedState(call_id=facts["call"], user_id=user_id, expires_at=expires_at)
    try:
        with write_transaction() as session:
            user_locks.lock(session, user_id)
            if not session.scalar(select(literal(expires_at, UTCDateTime()) > current_time())):
                raise UnusableState
            session.add(used)
    except IntegrityError:
        raise UnusableState from None
    call_id: str = facts["call"]
    return call_id


def sweep(session: Session) -> None:
    session.execute(delete(UsedState).where(UsedState.expires_at < from_now(-KEPT_SECONDS)))
