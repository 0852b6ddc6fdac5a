"""Lock a turn's claim in the transaction of a tool's write, until it is committed.

A worker may be suspended after it has looked at its claim and before it writes. Another turn that
takes over the message deletes the claim first, so it either waits for the write, or the write finds
no claim.
"""

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from service.chat.models import Claim
from service.chat.question import Question
from service.database.prepared import Prepared
from service.extensions import table
from service.web.errors import Conflict

_claims = table(Claim)
# An erasure locks the claim before the records, and this is the other order. So it does not wait.
LOCK = Prepared(
    select(_claims.c.turn_id)
    .where(_claims.c.turn_id == bindparam("turn"))
    .with_for_update(read=True, key_share=True, skip_locked=True)
)


class ClaimLost(Conflict):
    message = "Nothing was written, because the answer to this message was interrupted."


def lock(question: Question, session: Session) -> None:
    """Lock the turn's claim against its deletion. Call it as the last lock of a transaction.

    A turn outside a chat has no claim. Raises `ClaimLost` if there is none, or if another
    transaction is about to delete it.
    """
    keys = {"turn": question.turn_id}
    if question.is_in_chat and LOCK.row(session.connection(), keys) is None:
        raise ClaimLost()
