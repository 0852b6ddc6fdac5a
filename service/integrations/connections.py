"""Users' connections to OAuth integrations: what they allow, and what to ask for where they don't.

Source: specification, "Cloud-suite connection (per user)"; contract section 10.
"""

from collections.abc import Mapping
from typing import Any

import structlog
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from config import Settings
from service.errors import NotConfigured, NotFound, ServiceError
from service.integrations.authority import Authority
from service.integrations.catalog import Catalog, Endpoint, OAuth2
from service.integrations.consents import Consents
from service.integrations.faults import GrantRejected, ScopeMissing
from service.integrations.grants import Grants, Held
from service.integrations.models import Grant
from service.integrations.scopes import Scopes
from service.integrations.seal import Sealer
from service.integrations.way import Request

log = structlog.get_logger("connections")


class Connections:
    """The OAuth integrations of an app. Every method needs an app context."""

    def __init__(self, app: Flask, catalog: Catalog, sealer: Sealer) -> None:
        self._app = app
        self._sealer = sealer
        vendors = [vendor for vendor in catalog.vendors if vendor.oauth]
        self._oauth = {vendor.integration: vendor.oauth for vendor in vendors if vendor.oauth}

    def of(self, endpoint: Endpoint, request: Request) -> "Connection | None":
        """The caller's connection that an endpoint needs; None when it needs none."""
        return Connection(self, endpoint, request) if endpoint.scope else None

    def scopes_of(self, endpoint: Endpoint) -> list[str]:
        """The full names of what an endpoint asks for; empty when it asks for nothing."""
        if not endpoint.scope:
            return []
        return self.scopes(endpoint.vendor.integration).needed(endpoint)

    def status(self, user_id: str) -> dict[str, Any]:
        """By integration: whether connected, the flags, and the account's address if known."""
        told: dict[str, Any] = {}
        for integration in self._oauth:
            grant = self.grants(integration).find(user_id)
            flags = self.scopes(integration).flags(grant.scopes if grant else ())
            told[integration] = {"connected": grant is not None, **flags}
            if grant and grant.email:
                told[integration]["email"] = grant.email
        return told

    def disconnect(self, user_id: str, integration: str) -> None:
        """Revoke and clear; the vendor's answer changes nothing. Raises `NotFound`."""
        grants = self.grants(integration)
        grant = grants.find(user_id)
        if grant is None:
            return
        grants.clear(user_id)  # first: the vendor may be slow
        if reason := self.revoke(grant):
            log.warning("not revoked", integration=integration, why=reason)

    def take_all(self, session: Session, user_id: str) -> list[Grant]:
        """Clear every grant of a user's, also of integrations that do not exist any more."""
        mine = session.scalars(select(Grant).where(Grant.user_id == user_id).with_for_update())
        taken = list(mine)
        for grant in taken:
            session.delete(grant)
        return taken

    def revoke(self, grant: Grant) -> str | None:
        """Revoke a cleared grant at the vendor; returns why that failed, None if it did not."""
        try:
            authority = self.authority(grant.integration)
        except NotFound:
            return "this server has no such integration any more"
        except NotConfigured as error:
            return error.message
        tokens = self.grants(grant.integration).tokens_of(grant)[:1]
        if not tokens:
            return "no key in TOKEN_ENCRYPTION_KEYS opens its tokens"
        return None if authority.revoke(tokens[0]) else "the provider did not confirm it"

    def grants(self, integration: str) -> Grants:
        self.oauth(integration)
        return Grants(integration, self._sealer)

    def scopes(self, integration: str) -> Scopes:
        return Scopes(self.oauth(integration), self._settings)

    def consents(self, integration: str) -> Consents:
        settings: Settings = self._app.config["SETTINGS"]
        path = f"/api/integrations/oauth/{integration}/callback"
        redirect = settings.own_url + path
        return Consents(integration, redirect, self._sealer, self.grants(integration))

    def authority(self, integration: str) -> Authority:
        """Raises `NotConfigured`."""
        return Authority(self._app.extensions["upstream"], self.oauth(integration), self._settings)

    def oauth(self, integration: str) -> OAuth2:
        """Raises `NotFound`."""
        if integration not in self._oauth:
            raise NotFound()
        return self._oauth[integration]

    @property
    def _settings(self) -> Mapping[str, str]:
        return self._app.extensions["vendor_settings"]


class Connection:
    """A caller's connection, as one call sees it."""

    def __init__(self, connections: Connections, endpoint: Endpoint, request: Request) -> None:
        self._connections, self._endpoint, self._request = connections, endpoint, request
        self._integration = endpoint.vendor.integration
        self._user_id = request.caller.subject
        self._held: Held | None = None

    @property
    def suffices(self) -> bool:
        """Whether there is a grant with one of the accepted scopes."""
        grant = self._connections.grants(self._integration).find(self._user_id)
        scopes = self._connections.scopes(self._integration)
        return grant is not None and scopes.satisfy(self._endpoint, grant.scopes)

    def token(self) -> str:
        """An access token. Raises `RefreshFailed`; `GrantRejected` when the grant has gone."""
        authority = self._connections.authority(self._integration)
        self._held = self._connections.grants(self._integration).token(self._user_id, authority)
        if self._held is None:
            raise GrantRejected()
        return self._held.access_token

    def refused(self, error: ServiceError) -> dict[str, Any] | None:
        """The payload for a refusal that a new consent mends; None for any other error.

        A token that the vendor has rejected is forgotten at once.
        """
        if isinstance(error, GrantRejected):
            self.forget()
        return self.payload() if isinstance(error, GrantRejected | ScopeMissing) else None

    def forget(self) -> None:
        """Clear the grant whose token was used, unless there is a newer one."""
        if self._held:
            grants = self._connections.grants(self._integration)
            grants.clear(self._user_id, self._held.version)

    def payload(self) -> dict[str, Any]:
        """The OAuth-required payload, with a URL for exactly this endpoint's scope."""
        scopes = self._connections.scopes(self._integration)
        asked = scopes.asked(self._endpoint)
        authority = self._connections.authority(self._integration)
        consents = self._connections.consents(self._integration)
        return {
            "requiresOAuth": True,
            "provider": self._integration,
            "scopes": scopes.needed(self._endpoint),
            "authUrl": consents.begin(self._user_id, self._request.browser, asked, authority),
        }
