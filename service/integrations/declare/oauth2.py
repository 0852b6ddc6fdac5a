"""The declaration of a vendor's OAuth 2.0, with everything that vendors do differently.

Source: RFC 6749; RFC 7009 (revocation), RFC 7636 (PKCE), RFC 9207 (issuer), OpenID Connect Core 1.0
(userinfo).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from service.integrations.declare.forms import check_forms
from service.integrations.declare.setting import Setting

Encoding = Literal["base64url", "hex"]
HOUR = 3600.0
OF_STATUS = ("connected", "email")  # fields beside the flags


@dataclass(frozen=True, kw_only=True)
class TokenAnswer:
    """The places of the fields in a token answer.

    `within` is the dotted path of the object that has the fields of RFC 6749, section 5.1; the
    empty path is the answer itself. `account` is the path of the account's id in that object, if
    the object has it. `seconds` is the life of an access token whose answer has no `expires_in`.
    """

    within: str = ""
    account: str = ""
    seconds: float = HOUR


@dataclass(frozen=True, kw_only=True)
class Userinfo:
    """The request for the account of an access token, which is sent as the bearer.

    `account` has the dotted paths of the account's id; the first path with a text counts. `email`
    is the path of the account's email address, or empty if the vendor gives none.
    """

    url: Setting
    account: tuple[str, ...] = ("sub",)
    email: str = "email"
    method: Literal["GET", "POST"] = "GET"
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Revocation:
    """The form that revokes a token.

    With `has_client` it contains the client's id and secret too. `statuses` mean that the token is
    no longer valid.
    """

    url: Setting
    token: str = "token"  # noqa: S105 - a name
    has_client: bool = False
    statuses: tuple[int, ...] = (200,)


@dataclass(frozen=True, kw_only=True)
class OAuth2:
    """A vendor's authorization server, its scopes, and the flags that they set.

    `issuer` is the server's identifier (RFC 9207). Its default belongs to the default of
    `authorize_url`.

    `client_parameter` and `secret_parameter` are the vendor's names for the client's id and secret.
    `parameters` are further parameters of the consent URL, and `hint_parameter` is the parameter
    for the email address of the connected account. `pkce` is the encoding of the challenge, or None
    if the vendor does not support PKCE.

    `scope_names` maps our neutral scopes to the vendor's; a name without an entry is the vendor's
    own. With a `scope_base`, names go below it, except `openid` and whole URLs. Every consent asks
    for the scopes in `identity`. `incremental` says that new tokens cover the scopes granted
    before; otherwise each consent asks for them again.

    `flags` maps each flag of the connection status to the neutral scopes that set it. `aggregates`
    maps further flags to the flags of which any sets them.
    """

    client_id: Setting
    client_secret: Setting
    authorize_url: Setting
    token_url: Setting
    issuer: Setting | None = None
    revocation: Revocation | None = None
    userinfo: Userinfo | None = None
    tokens: TokenAnswer = TokenAnswer()
    client_parameter: str = "client_id"
    secret_parameter: str = "client_secret"  # noqa: S105 - a name
    parameters: Mapping[str, str] = field(default_factory=dict)
    hint_parameter: str = ""
    pkce: Encoding | None = "base64url"
    separator: Literal[" ", ","] = " "
    scope_base: Setting | None = None
    scope_names: Mapping[str, str] = field(default_factory=dict)
    scope_names_setting: Setting | None = None
    identity: tuple[str, ...] = ()
    incremental: bool = False
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aggregates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for a declaration that can't work."""
        for one in filter(None, (self, self.userinfo, self.revocation)):
            check_forms(one)
        if not self.userinfo and not self.tokens.account:
            raise ValueError("neither userinfo nor the token answer has the account's id")
        for flag, scopes in (*self.flags.items(), *self.aggregates.items()):
            if isinstance(scopes, str):
                raise ValueError(f"flag {flag}: must be a tuple, such as ({scopes!r},)")
            if flag in OF_STATUS:
                raise ValueError(f"flag {flag}: the status has a field of this name")
        for flag, parts in self.aggregates.items():
            if unknown := set(parts) - set(self.flags):
                raise ValueError(f"flag {flag} is made of {min(unknown)}, which is none")

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Every setting, once."""
        possible = (
            self.client_id,
            self.client_secret,
            self.authorize_url,
            self.token_url,
            self.issuer,
            self.revocation and self.revocation.url,
            self.userinfo and self.userinfo.url,
            self.scope_base,
            self.scope_names_setting,
        )
        return tuple(setting for setting in possible if setting)

    @property
    def neutral_scopes(self) -> tuple[str, ...]:
        """Our names for the scopes that the declaration mentions, each once."""
        of_flags = (scope for scopes in self.flags.values() for scope in scopes)
        return tuple(dict.fromkeys((*self.scope_names, *of_flags)))


def value_of(setting: Setting, values: Mapping[str, str]) -> str:
    """Return a setting's value or default, or ""."""
    return values.get(setting.name) or setting.default or ""
