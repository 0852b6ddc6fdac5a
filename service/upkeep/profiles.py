"""Update a user's name and mail address from the newest of the user's tokens.

Source: docs/contract.md, section 3.
"""

import structlog
from sqlalchemy.exc import SQLAlchemyError

from service.auth.tokens import Claims
from service.auth.users import rights_cache
from service.chat.collections import USERS
from service.database.access import write_transaction
from service.records import writes
from service.upkeep.rights import lock_user

log = structlog.get_logger("profiles")


def follow(claims: Claims) -> None:
    """Store the name and the address of a token. A missing one is left unchanged.

    A failure of the database is only logged, because the request may need no write.
    """
    try:
        with write_transaction() as session:
            user = lock_user(session, claims.subject)
            if user is None or user.updated_at.timestamp() >= (claims.issued or 0.0):
                return  # erased meanwhile, or a newer token was used
            profile = {"email": claims.email or user.email, "name": claims.name or user.name}
            if profile != {"email": user.email, "name": user.name}:
                writes.change(session, USERS, user, profile)
    except SQLAlchemyError as error:
        log.warning("name not stored", error=type(error).__name__)
    rights_cache.forget(claims.subject)
