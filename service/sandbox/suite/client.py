"""The sandbox's authorization servers: the app's registrations, the accounts, the scopes.

There is one server for each declared vendor with OAuth. The accounts of the office suite's server
have mail, events and files.
"""

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from flask import Flask

from service.app_keys import AppKey
from service.integrations.calling.proxy import PROXY
from service.integrations.consent.scopes import Scopes
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.oauth2 import OAuth2
from service.integrations.declare.vendor import Vendor
from service.web.errors import NotFound

SUITE_CLIENTS = AppKey["Clients"]("suite")
SUITE = "cloudsuite"
PAGES = "/sandbox"
API = "/cloudsuite"
OAUTH = "/oauth"
SCOPE_BASE = "https://sandbox.invalid/auth"
# The office suite's APIs on the listener, by the setting of their base URL.
APIS = {
    "CLOUDSUITE_MAIL_BASE_URL": f"{API}/mail",
    "CLOUDSUITE_CALENDAR_BASE_URL": f"{API}/calendar",
    "CLOUDSUITE_DRIVE_BASE_URL": f"{API}/drive",
    "CLOUDSUITE_UPLOAD_BASE_URL": f"{API}/upload",
    "CLOUDSUITE_CONTACTS_BASE_URL": f"{API}/people",
}
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
class DemoAccount:
    id: str
    name: str
    email: str


ACCOUNTS = {
    account.id: account
    for account in (
        DemoAccount("ada", "Ada Sandbox", "ada@suite.invalid"),
        DemoAccount("ben", "Ben Sandbox", "ben@suite.invalid"),
    )
}


@dataclass(frozen=True)
class Client:
    """The app's registration at the authorization server of one vendor.

    `own` is the address at which people reach the service. `summaries` has the summaries of
    endpoints, by the neutral scope that they need.
    """

    id: str
    secret: str
    own: str
    vendor: Vendor
    summaries: Mapping[str, str]

    @property
    def oauth(self) -> OAuth2:
        assert self.vendor.oauth
        return self.vendor.oauth

    @property
    def integration(self) -> str:
        return self.vendor.integration

    @property
    def redirect(self) -> str:
        return f"{self.own}/api/integrations/oauth/{self.integration}/callback"

    @property
    def pages(self) -> str:
        """The path of its pages for people."""
        return f"{PAGES}/{self.integration}"

    @cached_property
    def accounts(self) -> dict[str, DemoAccount]:
        """The accounts by id. No two vendors share an account."""
        if self.integration == SUITE:
            return ACCOUNTS
        people = ((f"{self.integration}-{one.id}", one) for one in ACCOUNTS.values())
        return {name: DemoAccount(name, one.name, f"{name}@vendor.invalid") for name, one in people}

    @property
    def issuer(self) -> str:
        """The server's identifier, which each redirect contains (RFC 9207)."""
        return f"{self.own}{self.pages}"

    def settings(self, listener: str) -> dict[str, str]:
        """Return an operator's settings for the stand-ins at this listener's base URL."""
        oauth, server = self.oauth, f"{listener}{OAUTH}/{self.integration}"
        values = {
            oauth.client_id: self.id,
            oauth.client_secret: self.secret,
            oauth.authorize_url: f"{self.own}{self.pages}/authorize",
            oauth.issuer: self.issuer,
            oauth.token_url: f"{server}/token",
            oauth.revocation and oauth.revocation.url: f"{server}/revoke",
            oauth.userinfo and oauth.userinfo.url: f"{server}/userinfo",
            oauth.scope_base: SCOPE_BASE,
            oauth.scope_names_setting: ",".join(f"{name}={name}" for name in self._neutral),
        }
        apis = {
            one.name: listener + APIS[one.name] for one in self.vendor.bases if one.name in APIS
        }
        return {setting.name: value for setting, value in values.items() if setting} | apis

    @cached_property
    def words(self) -> dict[str, str]:
        """The scopes that people can grant, each with a description."""
        return {
            _name(self._scopes.full(neutral)): WORDS.get(neutral) or self.summaries.get(neutral)
            or neutral
            for neutral in self._neutral
        }  # fmt: skip

    @cached_property
    def identity(self) -> tuple[str, ...]:
        """The scopes that every consent asks for."""
        return tuple(map(_name, self._scopes.identity))

    def names(self, scope: str) -> list[str]:
        """Return a request's scopes without their base. Raises ValueError for unknown ones."""
        names = [_name(one) for one in scope.replace(self.oauth.separator, " ").split()]
        unknown = [name for name in names if name not in self.words and name not in self.identity]
        if unknown:
            raise ValueError(unknown[0])
        return names

    def scope(self, names: Iterable[str]) -> str:
        """Return scopes in the form of a token answer."""
        full = {_name(one): one for one in map(self._scopes.full, self._neutral)}
        full |= {_name(one): one for one in self._scopes.identity}
        return self.oauth.separator.join(full[name] for name in names)

    def with_address(self, email: str) -> DemoAccount | None:
        return next((a for a in self.accounts.values() if a.email == email.lower()), None)

    @property
    def _neutral(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.oauth.neutral_scopes, *self.summaries)))

    @cached_property
    def _scopes(self) -> Scopes:
        return Scopes(self.oauth, self.settings(""))


class Clients:
    """The app's registrations at all vendors with OAuth."""

    def __init__(self, app: Flask, client_id: str, secret: str, own: str) -> None:
        self._app = app
        self._id, self._secret, self._own = client_id, secret, own

    def of(self, integration: str) -> Client:
        """Return the app's registration at a vendor's server. Raises `NotFound`."""
        catalog = PROXY.of(self._app).catalog
        for vendor in catalog.vendors:
            if vendor.oauth and vendor.integration == integration:
                secret = hmac.digest(self._secret.encode(), integration.encode(), "sha256").hex()
                return Client(self._id, secret, self._own, vendor, _summaries(catalog, integration))
        raise NotFound()


def _summaries(catalog: Catalog, integration: str) -> dict[str, str]:
    mine = [one for one in catalog if one.scope and one.vendor.integration == integration]
    return {
        scope: one.summary
        for one in reversed(mine)
        for scope in (*one.narrow, *one.accepted, one.scope or "")
    }


def _name(full: str) -> str:
    return full.removeprefix(f"{SCOPE_BASE}/")


def with_address(email: str) -> DemoAccount | None:
    """Return the account of the office suite with this address, or None."""
    return next((a for a in ACCOUNTS.values() if a.email == email.lower()), None)
