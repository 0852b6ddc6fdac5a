"""Scopes: our neutral names, the vendor's full ones, and the flags they light.

Source: specification, "Connection status object"; contract section 10, "Scopes".
"""

from collections.abc import Iterable, Mapping

from service.integrations.catalog import Endpoint, OAuth2


class Scopes:
    """The scopes of one OAuth integration, as configured."""

    def __init__(self, oauth: OAuth2, settings: Mapping[str, str]) -> None:
        self._oauth = oauth
        self._base = settings.get(f"{oauth.prefix}_SCOPE_BASE", oauth.scope_base)
        named = settings.get(f"{oauth.prefix}_SCOPE_NAMES", "")
        pairs = (item.partition("=")[::2] for item in named.split(",") if item.strip())
        self._names = {**oauth.scope_names, **{k.strip(): v.strip() for k, v in pairs}}

    def full(self, neutral: str) -> str:
        """The vendor's whole name of a scope."""
        suffix = self._names.get(neutral, neutral)
        return suffix if "://" in suffix else f"{self._base}/{suffix}"

    def asked(self, endpoint: Endpoint) -> list[str]:
        """What the consent page is asked for: the endpoint's one scope and the identity's."""
        assert endpoint.scope
        identity = [f"{self._base}/{suffix}" for suffix in self._oauth.identity]
        return [self.full(endpoint.scope), "openid", *identity]

    def needed(self, endpoint: Endpoint) -> list[str]:
        """What the OAuth-required payload names."""
        assert endpoint.scope
        return [self.full(endpoint.scope)]

    def satisfy(self, endpoint: Endpoint, granted: Iterable[str]) -> bool:
        assert endpoint.scope
        enough = {self.full(neutral) for neutral in (endpoint.scope, *endpoint.accepted)}
        return not enough.isdisjoint(granted)

    def flags(self, granted: Iterable[str]) -> dict[str, bool]:
        """The flags that these scopes light; `mail` is the aggregate of reading and sending."""
        held = set(granted)
        lit = {
            flag: not held.isdisjoint(map(self.full, neutral))
            for flag, neutral in self._oauth.flags.items()
        }
        if "mailSend" in lit:
            lit["mail"] = lit["mailSend"] or lit["mailRead"]
        return lit


def parsed(text: str | None, asked: Iterable[str]) -> list[str]:
    """The scopes of a token answer: without any, what was asked has been granted (RFC 6749, 5.1).

    Google's short `email` and `profile` are left as they come: no endpoint asks for them.
    """
    return sorted(set(text.split())) if text else sorted(set(asked))
