"""Set up sign-in by `CONSOLE_OIDC_…`, if it is configured."""

from flask import Flask

from config import ConfigError, Settings
from service.auth.tokens import VERIFIER
from service.outbound.upstream import Upstream
from service.sealing.seal import Sealer
from service.sign_in.code_flow import SIGN_INS, SignIns
from service.sign_in.identity import IdentityProvider
from service.sign_in.sessions import SESSIONS, Sessions
from service.web.origin import is_safe

CALLBACK = "/console/callback"


def set_up(app: Flask, settings: Settings, upstream: Upstream) -> None:
    """Set the app's `SESSIONS` and `SIGN_INS`; both are None without the settings.

    Raises `ConfigError` if only some of the settings are set, or if they can't work.
    """
    SESSIONS.set(app, None)
    SIGN_INS.set(app, None)
    if not _is_configured(settings):
        return
    sealer = Sealer(settings.token_encryption_keys)
    provider = IdentityProvider(settings, upstream)
    sessions = Sessions(provider, VERIFIER.of(app), sealer)
    SESSIONS.set(app, sessions)
    redirect = settings.own_url + CALLBACK
    SIGN_INS.set(app, SignIns(provider, sessions, sealer, redirect))


def _is_configured(settings: Settings) -> bool:
    """Return whether sign-in is configured. Raises `ConfigError`."""
    issuer, client = settings.console_oidc_issuer, settings.console_oidc_client_id
    if not issuer and not client:
        if settings.console_oidc_client_secret:
            raise ConfigError("CONSOLE_OIDC_ISSUER: must be set with CONSOLE_OIDC_CLIENT_SECRET")
        return False
    if not issuer or not client:
        missing, other = ("ISSUER", "CLIENT_ID") if client else ("CLIENT_ID", "ISSUER")
        raise ConfigError(f"CONSOLE_OIDC_{missing}: must be set with CONSOLE_OIDC_{other}")
    if not settings.auth_jwks_url:
        raise ConfigError(
            "AUTH_JWKS_URL: must be set with CONSOLE_OIDC_ISSUER, whose tokens it checks"
        )
    if not is_safe(issuer):
        raise ConfigError("CONSOLE_OIDC_ISSUER: must be an https URL, or one of this machine")
    if not is_safe(settings.own_url):
        raise ConfigError("PUBLIC_URL: must be an https URL with CONSOLE_OIDC_ISSUER")
    return True
