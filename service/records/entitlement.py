"""Whether a session on the socket may go on: its token, and the rights of its user."""

import time

from service.auth.tokens import LEEWAY
from service.auth.users import Caller, current_role, rights_cache
from service.errors import Unauthorized


class Entitlement:
    """The entitlement of one session. The feed reads the rights of all users with a session."""

    def __init__(self, caller: Caller, expires: float) -> None:
        """`expires` is the token's end in Unix time."""
        self.caller = caller
        # A token that was accepted by the leeway lives as long as the leeway.
        self._expires = expires if expires > time.time() else expires + LEEWAY
        self._rights = rights_cache.known(caller.subject)

    @property
    def is_over(self) -> bool:
        """Whether the entitlement has ended, as far as is known without the database."""
        known = rights_cache.known(self.caller.subject)
        return self._has_expired or (known is not None and not known.admit(self.caller.issued))

    @property
    def is_outdated(self) -> bool:
        """Whether rights may have changed since `role` was last asked for."""
        known = rights_cache.known(self.caller.subject)
        return known is None or known != self._rights or self._has_expired

    def check_token(self) -> None:
        """Raises `Unauthorized` once the token has expired."""
        if self._has_expired:
            raise Unauthorized()

    def role(self) -> str:
        """The role that counts now. Needs an app context; raises `Unauthorized`."""
        role = current_role(self.caller)
        self._rights = rights_cache.known(self.caller.subject)
        return role

    @property
    def _has_expired(self) -> bool:
        return time.time() >= self._expires
