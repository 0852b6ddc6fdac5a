"""The browser in which a consent was begun: a cookie, of which consents store the hash.

Each answer with a URL replaces the cookie. A browser may get several URLs before the first consent
ends, for example in several tabs, and has only the cookie of the last. Its consents may end in any
order, so the row of a consent that has ended is kept, without its state, until it would expire.
"""

import secrets

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.database.clock import current_time
from service.extensions import db
from service.integrations.models import Consent
from service.sealing.hashing import hash_secret


def is_known(browser: str, consent: Consent) -> bool:
    """Return whether this consent, or another recent one of its user, was begun in this browser."""
    browser_hash = hash_secret(browser)
    if secrets.compare_digest(browser_hash, consent.browser_hash):
        return True
    others = select(Consent.state_hash).filter_by(
        user_id=consent.user_id, integration=consent.integration, browser_hash=browser_hash
    )
    is_alive = Consent.expires_at > current_time()
    state_hash = db.session.scalar(others.where(is_alive).limit(1))
    db.session.commit()
    return state_hash is not None


def remember(session: Session, consent: Consent) -> None:
    """Store the browser of a consent that has ended, under a state that nobody knows."""
    if not consent.browser_hash:
        return
    session.add(
        Consent(
            state_hash=hash_secret(secrets.token_urlsafe(32)),
            user_id=consent.user_id,
            integration=consent.integration,
            browser_hash=consent.browser_hash,
            asked=[],
            expires_at=consent.expires_at,
        )
    )
