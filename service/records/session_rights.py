"""The rights of the users with sessions on sockets, which are read each second.

Changes are sent by these rights without a query. A worker that was suspended, or could not read the
rights for a while, reads them before it sends further changes.
"""

import time
from collections.abc import Set
from typing import Protocol

import gevent
import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from service.auth.users import RIGHTS_AGE, rights_cache
from service.records.entitlement import Entitlement

RIGHTS_SECONDS = 1.0

log = structlog.get_logger("feed")


class EntitledListener(Protocol):
    """A session, as far as its rights are concerned."""

    @property
    def subject(self) -> str: ...

    entitlement: Entitlement

    def on_rights(self) -> None:
        """Handle a possible change of rights. Must not wait."""


class SessionRights:
    """Keeps the rights of all listeners recent."""

    def __init__(self, app: Flask, listeners: Set[EntitledListener]) -> None:
        """`listeners` may change."""
        self._app, self._listeners = app, listeners
        self._read_at = time.monotonic()  # each session begins with rights that were just read

    def watch(self) -> None:
        """Read the rights at intervals."""
        while True:
            gevent.sleep(RIGHTS_SECONDS)
            try:
                self._read()
            except SQLAlchemyError as error:
                log.warning("rights not read", error=type(error).__name__)
            self._announce()

    def ensure_recent(self) -> None:
        """Read the rights if they are older than `RIGHTS_AGE`. Raises `SQLAlchemyError`.

        The clock is monotonic, and goes on while a process is suspended.
        """
        if time.monotonic() - self._read_at > RIGHTS_AGE:
            self._read()
            self._announce()

    def _read(self) -> None:
        began = time.monotonic()
        with self._app.app_context():
            rights_cache.refresh({listener.subject for listener in self._listeners})
        self._read_at = began

    def _announce(self) -> None:
        moment = time.time()
        for listener in list(self._listeners):
            if not listener.entitlement.is_current(moment):
                listener.on_rights()
