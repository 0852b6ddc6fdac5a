"""A user of the app under test, in a browser of their own, and what the app keeps of them."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import update

from service.app_keys import APP_SETTINGS
from service.database.access import write_transaction
from service.extensions import db
from service.integrations.models import Grant
from service.times import now
from tests.integrations.oauth.provider import Provider
from tests.people import Person, person

READ = "cloudsuite/mail-list"
SEND = "cloudsuite/mail-send"
EVENTS = "cloudsuite/calendar-list-events"
SCOPES = {  # by endpoint: the one that a call asks for
    EVENTS: "calendar.events",
    READ: "mail.readonly",
    SEND: "gmail.modify",
    "cloudsuite/drive-list": "drive.readonly",
    "cloudsuite/contacts-list": "contacts.readonly",
}
MAIL = {"to": "bob@example.com", "subject": "Hello", "content": "How are you?"}
REFRESH_FAILED = {
    "success": False,
    "error": "upstream_provider_error",
    "message": "Token refresh failed. Please connect the account again.",
    "upstreamStatus": None,
    "provider": "cloudsuite",
}


@dataclass
class User:
    person: Person
    app: Flask
    provider: Provider

    def call(self, endpoint: str = READ, body: Any = None, **options: Any) -> Any:
        body = MAIL if body is None and endpoint == SEND else body
        return self.person.post(f"/api/integrations/{endpoint}", body, **options)

    def payload(self, endpoint: str = READ) -> dict[str, Any]:
        """The OAuth-required payload, which must be the answer."""
        answer = self.call(endpoint)
        assert answer.status_code == 200, answer.json
        assert list(answer.json) == ["data", "success"] or set(answer.json) == {"success", "data"}
        assert answer.json["success"] is True
        assert answer.json["data"]["requiresOAuth"] is True
        return answer.json["data"]

    def consent(self, endpoint: str = READ, **how: Any) -> str:
        """The redirect after a consent, as a path."""
        return self.provider.consent(self.payload(endpoint)["authUrl"], **how)

    def connect(self, endpoint: str = READ, **how: Any) -> None:
        page = self.browser.get(self.consent(endpoint, **how))
        assert (page.status_code, outcome(page)) == (200, "connected"), page.text

    def limited(self, *endpoints: str, **limits: Any) -> "User":
        """The same user with a limited token, for these endpoints if any are named."""
        named = {"endpoints": [*endpoints]} if endpoints else {}
        return replace(self, person=self.person.limited(**named, **limits))

    def disconnect(self) -> Any:
        return self.person.delete("/api/integrations/oauth/cloudsuite/disconnect")

    @property
    def browser(self) -> FlaskClient:
        return self.person.client

    @property
    def status(self) -> dict[str, Any]:
        return self.person.get("/api/integrations/status").json["cloudsuite"]

    @property
    def flags(self) -> set[str]:
        return {name for name, lit in self.status.items() if lit is True} - {"connected"}

    @property
    def row(self) -> dict[str, Any] | None:
        """The grant's row, by column."""
        with self.app.app_context():
            found = db.session.execute(
                db.select(Grant.__table__).filter_by(user_id=self.person.subject)
            ).one_or_none()
            db.session.commit()
        return dict(found._mapping) if found else None

    def expire(self) -> None:
        self.change(expires_at=now() - timedelta(seconds=1))

    def change(self, **values: Any) -> None:
        mine = update(Grant).where(Grant.user_id == self.person.subject)
        with self.app.app_context(), write_transaction() as session:
            session.execute(mine.values(**values))


def user(app: Flask, provider: Provider, subject: str) -> User:
    settings = APP_SETTINGS.of(app)
    return User(person(app.test_client(), settings, subject), app, provider)


def outcome(page: Any) -> str:
    """What a page of the callback says has become of the consent."""
    return page.text.partition('data-outcome="')[2].partition('"')[0]
