"""The pages of the callback, as a browser gets them, and consents that grow older."""

import re
from datetime import timedelta

from sqlalchemy import select

from service.database.access import write_transaction
from service.integrations.models import Consent
from tests.integrations.oauth.user import outcome

CALLBACK = "/api/integrations/oauth/cloudsuite/callback"
GONE = "This link has been used already, or is too old."


def is_refused(page, text=GONE, status=400) -> bool:
    assert (page.status_code, outcome(page)) == (status, "failed"), page.text
    assert text in page.text
    return True


def form_token(page) -> str:
    return re.search(r'name="token" value="([\w-]+)"', page.text)[1]


def age_consents(app, how_long: timedelta) -> None:
    """Every consent under way grows older."""
    with app.app_context(), write_transaction() as session:
        for consent in session.scalars(select(Consent)):
            consent.expires_at -= how_long
