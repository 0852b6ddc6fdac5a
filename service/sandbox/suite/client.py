"""The app as the sandbox suite knows it, the accounts there are, and what scopes mean."""

from collections.abc import Iterable
from dataclasses import dataclass

PAGES = "/sandbox/cloudsuite"
API = "/cloudsuite"
SCOPE_BASE = "https://sandbox.invalid/auth"
IDENTITY = ("openid", "userinfo.email", "userinfo.profile")
WORDS = {
    "mail.full": "Read, send and delete all your mail for good",
    "mail.modify": "Read, write and send mail, and move it to the trash",
    "mail.readonly": "Read your mail",
    "mail.metadata": "See who wrote to you, and about what",
    "mail.compose": "Write drafts and send mail",
    "mail.send": "Send mail",
    "calendar": "See, change and share all your calendars",
    "calendar.readonly": "See your calendars",
    "calendar.events": "See and change the events of your calendars",
    "calendar.events.readonly": "See the events of your calendars",
    "calendar.events.owned": "See and change the events of calendars that are yours",
    "calendar.events.owned.readonly": "See the events of calendars that are yours",
    "drive": "See, change and delete all your files",
    "drive.readonly": "See and download all your files",
    "drive.metadata": "See and change the names of your files",
    "drive.metadata.readonly": "See the names of your files",
    "drive.file": "See and change the files that you make with this app",
    "contacts": "See and change your contacts",
    "contacts.readonly": "See your contacts",
}


@dataclass(frozen=True)
class Account:
    id: str
    name: str
    email: str


ACCOUNTS = {
    account.id: account
    for account in (
        Account("ada", "Ada Sandbox", "ada@suite.invalid"),
        Account("ben", "Ben Sandbox", "ben@suite.invalid"),
    )
}


@dataclass(frozen=True)
class Client:
    """The app's registration. `own` is where the service is reached by people."""

    id: str
    secret: str
    own: str

    @property
    def redirect(self) -> str:
        return f"{self.own}/api/integrations/oauth/cloudsuite/callback"

    def settings(self, listener: str) -> dict[str, str]:
        """What an operator would set, with the suite at this listener's base URL."""
        api = listener + API
        urls = {
            "AUTHORIZE_URL": f"{self.own}{PAGES}/authorize",
            "TOKEN_URL": f"{api}/token",
            "REVOKE_URL": f"{api}/revoke",
            "USERINFO_URL": f"{api}/userinfo",
            "MAIL_BASE_URL": f"{api}/mail",
            "CALENDAR_BASE_URL": f"{api}/calendar",
            "DRIVE_BASE_URL": f"{api}/drive",
            "UPLOAD_BASE_URL": f"{api}/upload",
            "CONTACTS_BASE_URL": f"{api}/people",
        }
        names = ",".join(f"{name}={name}" for name in WORDS)
        client = {"CLIENT_ID": self.id, "CLIENT_SECRET": self.secret}
        scopes = {"SCOPE_BASE": SCOPE_BASE, "SCOPE_NAMES": names}
        return {f"CLOUDSUITE_{k}": v for k, v in {**client, **scopes, **urls}.items()}


def neutral(scopes: Iterable[str]) -> list[str]:
    """Full scopes by our names; raises ValueError for one that does not exist."""
    named = [scope.removeprefix(f"{SCOPE_BASE}/") for scope in scopes]
    unknown = [name for name in named if name not in WORDS and name not in IDENTITY]
    if unknown:
        raise ValueError(unknown[0])
    return named


def full(names: Iterable[str]) -> str:
    """Scopes as a token answer has them."""
    return " ".join(name if name == "openid" else f"{SCOPE_BASE}/{name}" for name in names)


def with_address(email: str) -> Account | None:
    return next((a for a in ACCOUNTS.values() if a.email == email.lower()), None)
