"""Credentials of the operator's account at a vendor, and their places in a request."""

import base64
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from joserfc import jwt
from joserfc.jwk import OctKey

from service.integrations.declare.setting import Setting

SettingValues = Mapping[str, str]
NamedValues = dict[str, Any]


@runtime_checkable
class Credential(Protocol):
    """Authenticates a request to a vendor. Only `calling/sending.py` adds one to a request."""

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings that the credential consists of."""

    def put(self, values: SettingValues, headers: NamedValues, query: NamedValues) -> None:
        """Add the credential to a request. `values` has all its required settings."""


@dataclass(frozen=True)
class NoCredential:
    """The credential for a vendor that needs none."""

    settings: tuple[Setting, ...] = ()

    def put(self, values: SettingValues, headers: NamedValues, query: NamedValues) -> None:
        pass


@dataclass(frozen=True)
class HeaderKey:
    """A key in a header. `form` is the header's value, with `{key}` in it."""

    key: Setting
    header: str
    form: str = "{key}"

    @property
    def settings(self) -> tuple[Setting, ...]:
        return (self.key,)

    def put(self, values: SettingValues, headers: NamedValues, query: NamedValues) -> None:
        if self.key.name in values:
            headers[self.header] = self.form.format(key=values[self.key.name])


def bearer(key: Setting) -> HeaderKey:
    """Return the credential of a key in `Authorization: Bearer`."""
    return HeaderKey(key, "Authorization", "Bearer {key}")


@dataclass(frozen=True)
class QueryKey:
    """A key in the query."""

    key: Setting
    name: str

    @property
    def settings(self) -> tuple[Setting, ...]:
        return (self.key,)

    def put(self, values: SettingValues, headers: NamedValues, query: NamedValues) -> None:
        if self.key.name in values:
            query[self.name] = values[self.key.name]


@dataclass(frozen=True)
class HeaderKeys:
    """A credential of several parts, each in its own header."""

    parts: Mapping[str, Setting]  # by header

    @property
    def settings(self) -> tuple[Setting, ...]:
        return tuple(self.parts.values())

    def put(self, values: SettingValues, headers: NamedValues, query: NamedValues) -> None:
        for header, part in self.parts.items():
            if part.name in values:
                headers[header] = values[part.name]


@dataclass(frozen=True)
class Basic:
    """HTTP Basic (RFC 7617). The user's name may be a key, and the password may be empty."""

    user: Setting
    password: Setting | None = None

    @property
    def settings(self) -> tuple[Setting, ...]:
        return (self.user, self.password) if self.password else (self.user,)

    def put(self, values: SettingValues, headers: NamedValues, query: NamedValues) -> None:
        if self.user.name not in values:
            return
        password = values.get(self.password.name, "") if self.password else ""
        pair = f"{values[self.user.name]}:{password}".encode()
        headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"


@dataclass(frozen=True)
class Signer:
    """A JWT that is made for each request and signed with a secret (HS256). `key` is its issuer.

    Every request's token has `claims`. An endpoint that gives tokens to its callers signs them with
    `sign`.
    """

    key: Setting
    secret: Setting
    claims: Mapping[str, Any]
    seconds: int = 60

    @property
    def settings(self) -> tuple[Setting, ...]:
        return (self.key, self.secret)

    def put(self, values: SettingValues, headers: NamedValues, query: NamedValues) -> None:
        headers["Authorization"] = f"Bearer {self.sign(values, self.claims, self.seconds)}"

    def sign(self, values: SettingValues, claims: Mapping[str, Any], seconds: int) -> str:
        """Return a token with these claims that is valid for `seconds`."""
        issued_at = int(time.time())
        times = {"nbf": issued_at, "exp": issued_at + seconds}
        whole = {"iss": values[self.key.name], **times, **claims}
        return jwt.encode({"alg": "HS256"}, whole, OctKey.import_key(values[self.secret.name]))


NONE = NoCredential()
