"""Users' connections to OAuth integrations: their scopes, and the consents for further scopes.

Source: docs/contract.md, "Cloud-suite connection" and section 10.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from itertools import product
from typing import Any, get_args

import structlog
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.app_keys import APP_SETTINGS
from service.integrations.consent.authority import Authority, Failure
from service.integrations.consent.consents import Consents
from service.integrations.consent.grants import AccessToken, Grants
from service.integrations.consent.health import health_of
from service.integrations.consent.scopes import Scopes
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.faults import GrantRejected, OutOfReach, ScopeMissing
from service.integrations.declare.oauth2 import OAuth2
from service.integrations.declare.setting import VENDOR_SETTINGS
from service.integrations.inbound import Inbound
from service.integrations.models import Grant
from service.observing import measures
from service.outbound.upstream import UPSTREAM
from service.sealing.seal import Sealer
from service.web.errors import NotConfigured, NotFound, ServiceError

log = structlog.get_logger("connections")


class Connections:
    """The OAuth integrations of an app. Every method needs an app context."""

    def __init__(self, app: Flask, catalog: Catalog, sealer: Sealer) -> None:
        self._app, self._sealer = app, sealer
        self._oauth = {one.integration: one.oauth for one in catalog.vendors if one.oauth}
        for series in product(self._oauth, ("refreshed", *get_args(Failure))):
            measures.REFRESHES.labels(*series)  # 0, so that the first failure shows as an increase

    def of(
        self, endpoint: Endpoint, user_id: str, browser: str | None = None
    ) -> "Connection | None":
        """Return the user's connection that an endpoint needs, or None if it needs none.

        `browser` is the cookie to which a consent will be bound."""
        return Connection(self, endpoint, user_id, browser) if endpoint.scope else None

    def scopes_of(self, endpoint: Endpoint) -> list[str]:
        """Return the full names of the scopes that an endpoint needs."""
        if not endpoint.scope:
            return []
        return self.scopes(endpoint.vendor.integration).required_scopes(endpoint)

    def status(self, user_id: str) -> dict[str, Any]:
        """Return by integration `connected`, the flags, and the account's `email` if known."""
        status: dict[str, Any] = {}
        for integration in self._oauth:
            grant = self.grants(integration).find(user_id)
            flags = self.scopes(integration).flags(grant.scopes if grant else ())
            status[integration] = {"connected": grant is not None, **flags}
            if grant and grant.email:
                status[integration]["email"] = grant.email
        return status

    def health(self, user_id: str) -> dict[str, Any]:
        """Return by connected integration whether its tokens can still be refreshed."""
        found = {name: self.grants(name).find(user_id) for name in self._oauth}
        return {name: health_of(grant) for name, grant in found.items() if grant}

    def disconnect(self, user_id: str, integration: str) -> None:
        """Clear the grant and try to revoke its tokens. Raises `NotFound`."""
        grant = self.grants(integration).clear(user_id)  # first: the vendor may be slow
        if grant and (reason := self.revoke(grant)):
            log.warning("not revoked", integration=integration, why=reason)

    def take_all(self, session: Session, user_id: str) -> list[Grant]:
        """Delete and return all grants of a user, even of integrations that no longer exist."""
        mine = select(Grant).where(Grant.user_id == user_id).with_for_update()
        grants = list(session.scalars(mine))
        for grant in grants:
            session.delete(grant)
        return grants

    def revoke(self, grant: Grant) -> str | None:
        """Revoke a cleared grant at the vendor. Return the reason of a failure, or None."""
        try:
            authority = self.authority(grant.integration)
        except NotFound:
            return "this server has no such integration any more"
        except NotConfigured as error:
            return error.message.removesuffix(".")  # a phrase, like the others
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
        settings = APP_SETTINGS.of(self._app)
        redirect = f"{settings.own_url}/api/integrations/oauth/{integration}/callback"
        return Consents(integration, redirect, self._sealer, self.grants(integration))

    def authority(self, integration: str) -> Authority:
        """Return an integration's authorization server. Raises `NotFound`, `NotConfigured`."""
        oauth = self.oauth(integration)
        return Authority(UPSTREAM.of(self._app), integration, oauth, self._settings)

    def authorities(self) -> dict[str, Authority]:
        """Return the authorization servers of the configured integrations, by name."""
        found = {}
        for integration in self._oauth:
            with suppress(NotConfigured):
                found[integration] = self.authority(integration)
        return found

    def oauth(self, integration: str) -> OAuth2:
        """Return an integration's declaration of OAuth. Raises `NotFound`."""
        if integration not in self._oauth:
            raise NotFound()
        return self._oauth[integration]

    @property
    def _settings(self) -> Mapping[str, str]:
        return VENDOR_SETTINGS.of(self._app)


class Connection:
    """A user's connection for one call of an endpoint."""

    def __init__(
        self, connections: Connections, endpoint: Endpoint, user_id: str, browser: str | None
    ) -> None:
        self._connections, self._endpoint = connections, endpoint
        self._user_id, self._browser = user_id, browser
        self._integration = endpoint.vendor.integration
        self._token: AccessToken | None = None

    @property
    def is_sufficient(self) -> bool:
        """Whether there is a grant with one of the accepted scopes, which may be a narrow one."""
        grant = self._connections.grants(self._integration).find(self._user_id)
        scopes = self._connections.scopes(self._integration)
        return grant is not None and scopes.satisfy(self._endpoint, grant.scopes)

    @property
    def opens_all(self) -> bool:
        """Whether there is a grant that is not narrow."""
        return self.opens_all_since(None)

    def opens_all_since(self, refused: datetime | None) -> bool:
        """Return whether there is a grant that is not narrow and not of the refused consent.

        A vendor may refuse a grant regardless of its stored scopes, because its user has withdrawn
        some of them at the vendor. A refresh does not restore them.
        """
        grant = self._connections.grants(self._integration).find(self._user_id)
        scopes = self._connections.scopes(self._integration)
        if grant is None or grant.created_at == refused:
            return False
        return scopes.open_all(self._endpoint, grant.scopes)

    @property
    def consent_time(self) -> datetime | None:
        """The time of the consent to the grant whose token was used, or None."""
        return self._token.consented_at if self._token else None

    @property
    def is_narrow(self) -> bool:
        """Whether the grant opens only a part of the endpoint's data."""
        return bool(self._endpoint.narrow) and not self.opens_all

    def admits(self, request: Inbound) -> bool:
        """Return whether a call can be made with the grant.

        A client gets the URL of a consent with an empty body. This also works with a narrow grant,
        if the endpoint has required parameters.
        """
        if not self.is_sufficient:
            return False
        return bool(request.body) or not self._endpoint.needs_parameters or not self.is_narrow

    @property
    def identity(self) -> list[Any]:
        """Facts that distinguish this connection from one with another account or other scopes."""
        grant = self._connections.grants(self._integration).find(self._user_id)
        return [grant.account, str(grant.created_at), sorted(grant.scopes)] if grant else []

    def token(self) -> str:
        """Return an access token. Raises `RefreshFailed`, or `GrantRejected` without a grant."""
        authority = self._connections.authority(self._integration)
        self._token = self._connections.grants(self._integration).token(self._user_id, authority)
        if self._token is None:
            raise GrantRejected()
        return self._token.text

    def payload_for(self, error: ServiceError) -> dict[str, Any] | None:
        """Return the OAuth-required payload for a refusal that a new consent can cure, or None.

        A grant whose token the vendor has rejected is cleared. With a narrow grant, the vendor
        answers for an item outside of it that the item does not exist or is not open to the app. An
        endpoint without required parameters gets no payload then: its clients could not begin the
        consent, because an empty body calls the endpoint.
        """
        match error:
            case GrantRejected():
                self.forget()
                return self.payload()
            case ScopeMissing():
                return self.payload()
            case NotFound() | OutOfReach() if self.is_narrow and self._endpoint.needs_parameters:
                return self.payload()
        return None

    def forget(self) -> None:
        """Clear the grant whose token was used, unless there is a newer one."""
        if self._token:
            grants = self._connections.grants(self._integration)
            grants.clear(self._user_id, self._token.version)

    def payload(self) -> dict[str, Any]:
        """Return the OAuth-required payload, with a URL for exactly this endpoint's scope."""
        scopes = self._connections.scopes(self._integration)
        grant = self._connections.grants(self._integration).find(self._user_id)
        requested = scopes.consent_scopes(self._endpoint, grant.scopes if grant else ())
        authority = self._connections.authority(self._integration)
        consents = self._connections.consents(self._integration)
        return {
            "requiresOAuth": True,
            "provider": self._integration,
            "scopes": scopes.required_scopes(self._endpoint),
            "authUrl": consents.begin(self._user_id, self._browser, requested, authority),
        }
