"""Check whether a session on the socket may continue, by its token and its user's rights."""

import time

from service.auth.tokens import LEEWAY
from service.auth.users import Caller, current_role, rights_cache
from service.web.errors import Unauthorized


class Entitlement:
    """The entitlement of one session. The feed refreshes the rights of all users with sessions."""

    def __init__(self, caller: Caller, expires: float) -> None:
        """`expires` is the expiry of the token in Unix time."""
        self.caller = caller
        self._subject = caller.subject
        # A token that expired within the leeway is valid until the leeway ends.
        self.expires = expires if expires > time.time() else expires + LEEWAY
        rights = rights_cache.peek(caller.subject)
        self._rights = rights if rights and rights.admit(caller.issued) else None
        self._version = -1  # of the cache when it last contained these rights

    @property
    def is_over(self) -> bool:
        """Whether the entitlement has ended, as far as the cache of rights shows."""
        rights = rights_cache.peek(self.caller.subject)
        return self._has_expired or (rights is not None and not rights.admit(self.caller.issued))

    @property
    def is_outdated(self) -> bool:
        """Whether rights may have changed since the last call of `role`."""
        rights = rights_cache.peek(self.caller.subject)
        return rights is None or rights is not self._rights or self._has_expired

    def is_current(self, moment: float) -> bool:
        """Return whether nothing has changed since the last call of `role`.

        `moment` is the Unix time. This is as strict as `is_outdated` and cheaper, because it is
        called at each delivery.
        """
        if self._version != rights_cache.version:
            if self._rights is None or rights_cache.peek(self._subject) is not self._rights:
                return False
            self._version = rights_cache.version
        return moment < self.expires

    def check_token(self) -> None:
        """Raise `Unauthorized` if the token has expired."""
        if self._has_expired:
            raise Unauthorized()

    def forget_role(self) -> None:
        """Forget the role, so that it is looked up again before the next changes are sent."""
        self._rights, self._version = None, -1

    def role(self) -> str:
        """Return the user's current role. Needs an app context. Raises `Unauthorized`."""
        role = current_role(self.caller)
        self._rights = rights_cache.peek(self.caller.subject)
        return role

    @property
    def _has_expired(self) -> bool:
        return time.time() >= self.expires
