"""Scopes: our neutral names, the vendor's full names, and the flags that they set.

Sources: docs/contract.md, "Connection status object" and section 10.
"""

from collections.abc import Iterable, Mapping

from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.oauth2 import OAuth2, value_of

OPENID = "openid"  # has the same name at every vendor (OpenID Connect Core 1.0, section 3.1.2.1)


class Scopes:
    """The scopes of one OAuth integration, as configured."""

    def __init__(self, oauth: OAuth2, settings: Mapping[str, str]) -> None:
        self._oauth = oauth
        self._base = value_of(oauth.scope_base, settings) if oauth.scope_base else ""
        changed = oauth.scope_names_setting
        pairs = value_of(changed, settings) if changed else ""
        self._names = {**oauth.scope_names, **suffixes(pairs)}

    def full(self, neutral: str) -> str:
        """Return the vendor's full name of a scope."""
        name = self._names.get(neutral, neutral)
        is_whole = not self._base or name == OPENID or "://" in name
        return name if is_whole else f"{self._base}/{name}"

    @property
    def identity(self) -> list[str]:
        """The full names of the scopes that every consent asks for."""
        return [self.full(name) for name in self._oauth.identity]

    def consent_scopes(self, endpoint: Endpoint, granted: Iterable[str]) -> list[str]:
        """Return the scopes of a consent: the endpoint's and those of the identity.

        Granted scopes are added if the new tokens would not cover them otherwise.
        """
        earlier = () if self._oauth.incremental else sorted(granted)
        return list(dict.fromkeys([*self.required_scopes(endpoint), *self.identity, *earlier]))

    def required_scopes(self, endpoint: Endpoint) -> list[str]:
        """Return the scopes that the OAuth-required payload names."""
        assert endpoint.scope
        return [self.full(endpoint.scope)]

    def satisfy(self, endpoint: Endpoint, granted: Iterable[str]) -> bool:
        """Return whether a call can be made with these scopes, also with a narrow one."""
        is_narrow = not set(map(self.full, endpoint.narrow)).isdisjoint(granted)
        return is_narrow or self.open_all(endpoint, granted)

    def open_all(self, endpoint: Endpoint, granted: Iterable[str]) -> bool:
        """Return whether these scopes open all of the endpoint's data."""
        assert endpoint.scope
        enough = {self.full(neutral) for neutral in (endpoint.scope, *endpoint.accepted)}
        return not enough.isdisjoint(granted)

    def flags(self, granted: Iterable[str]) -> dict[str, bool]:
        """Return the flags of the connection status, with those set that these scopes set."""
        full = set(granted)
        flags = {
            flag: not full.isdisjoint(map(self.full, neutral))
            for flag, neutral in self._oauth.flags.items()
        }
        aggregates = self._oauth.aggregates.items()
        return flags | {name: any(flags[part] for part in parts) for name, parts in aggregates}

    def flags_of(self, endpoint: Endpoint) -> list[str]:
        """Return the flags that tell whether an endpoint can be called.

        These are the flags that only its accepted scopes set, or if there are none, all flags that
        its own scope sets.
        """
        accepted = {endpoint.scope, *endpoint.accepted}
        flags = self._oauth.flags.items()
        exact = [flag for flag, neutral in flags if accepted.issuperset(neutral)]
        return exact or [flag for flag, neutral in flags if endpoint.scope in neutral]

    def flag_of(self, endpoint: Endpoint) -> str | None:
        """Return the flag that a consent for an endpoint sets, or None if there is none."""
        flags = self._oauth.flags
        return next((one for one in self.flags_of(endpoint) if endpoint.scope in flags[one]), None)


def granted_scopes(text: str | None, requested: Iterable[str]) -> list[str]:
    """Return the scopes of a token answer, which are separated by spaces.

    None means that the requested scopes have been granted (RFC 6749, section 5.1).
    """
    return sorted(set(requested if text is None else text.split()))


def suffixes(text: str) -> dict[str, str]:
    """Parse `neutral=suffix, …` into a mapping."""
    pairs = (item.partition("=")[::2] for item in text.split(",") if item.strip())
    return {neutral.strip(): suffix.strip() for neutral, suffix in pairs}
