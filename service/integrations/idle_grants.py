"""Refresh grants that nobody uses, before their refresh tokens expire.

Authorization servers revoke a refresh token that has not been used for some months. Source: RFC
6749, section 10.4; Google revokes it after six months.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta

import structlog
from flask import Flask
from sqlalchemy import or_, select
from sqlalchemy.exc import SQLAlchemyError

from service.database.clock import from_now
from service.extensions import db, table
from service.integrations.calling.proxy import PROXY
from service.integrations.models import Grant

RETRY_AFTER = timedelta(days=1)  # after a refresh that failed
BATCH = 20
IN_A_ROW = 3  # refreshes that do not reach a vendor, which may take ten seconds each

_grants = table(Grant)

log = structlog.get_logger("grants")


def refresh_idle(app: Flask, idle: timedelta, most: int = BATCH) -> int:
    """Refresh at most `most` grants whose tokens are older than `idle`, the oldest first.

    Returns how many were tried. The grants of an unreachable vendor are left for a later run. Other
    workers may run this at the same time: only one of them refreshes each grant. No transaction is
    open meanwhile.
    """
    tried, unreached = 0, Counter[str]()
    with app.app_context():
        connections = PROXY.of(app).connections
        authorities = connections.authorities()
        for user_id, integration in _candidates(authorities, idle, most):
            if unreached[integration] >= IN_A_ROW:
                continue
            tried += 1
            grants = connections.grants(integration)
            grants.renew(user_id, authorities[integration], idle)
            is_away = _is_unreached(grants.find(user_id))
            unreached[integration] = unreached[integration] + 1 if is_away else 0
    return tried


def _is_unreached(grant: Grant | None) -> bool:
    """Return whether the last refresh has not reached the vendor."""
    return grant is not None and grant.failure == "unreachable"


def _candidates(integrations: Iterable[str], idle: timedelta, most: int) -> list[tuple[str, str]]:
    """Return the oldest grants that this server can refresh. Others would stay the oldest."""
    c = _grants.c
    calm = or_(c.failed_at.is_(None), c.failed_at < from_now(-RETRY_AFTER.total_seconds()))
    old = select(c.user_id, c.integration).where(
        c.integration.in_(list(integrations)),
        c.refresh_token.is_not(None),
        c.updated_at < from_now(-idle.total_seconds()),
        calm,
    )
    rows = db.session.execute(old.order_by(c.updated_at).limit(most)).all()
    db.session.commit()
    return [(row.user_id, row.integration) for row in rows]


def refresh_quietly(app: Flask, idle: timedelta) -> None:
    """Refresh idle grants in a worker. A database error is logged, and not raised."""
    try:
        refresh_idle(app, idle)
    except SQLAlchemyError as error:
        log.warning("idle grants not refreshed", error=type(error).__name__)
