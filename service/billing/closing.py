"""Close a hold: move it from one state to another, once."""

from sqlalchemy import and_, bindparam, update

from service.billing.charges import ClosedHold
from service.billing.models import Hold
from service.database.prepared import Prepared, StatementReply
from service.database.statements import Statements
from service.extensions import table

_holds = table(Hold)
_this_hold = and_(_holds.c.hold_id == bindparam("hold"), _holds.c.state == bindparam("from"))
CLOSE_HOLD = Prepared(
    update(_holds)
    .where(_this_hold)
    .values(state=bindparam("closed"))
    .returning(_holds.c.account, _holds.c.amount, _holds.c.used, _holds.c.ref, _holds.c.token_id)
)


def close(session: Statements, hold_id: str, state: str, closed: str) -> ClosedHold | None:
    """Move a hold from one state to another. Returns None if it is not in that state."""
    hold: ClosedHold | None = send_close(session, hold_id, state, closed).row
    return hold


def send_close(session: Statements, hold_id: str, state: str, closed: str) -> StatementReply:
    values = {"hold": hold_id, "from": state, "closed": closed}
    return CLOSE_HOLD.send(session.connection(), values)
