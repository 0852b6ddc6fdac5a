"""The declaration of a vendor: its addresses, its credential, and how its refusals are read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from service.integrations.declare.credential import NONE, Credential
from service.integrations.declare.forms import form_faults
from service.integrations.declare.oauth2 import OAuth2
from service.integrations.declare.setting import Setting, first_missing
from service.web.errors import ServiceError


@dataclass(frozen=True)
class Reply:
    """A vendor's answer. `body` is its JSON value, or None if it is not JSON; `raw` the bytes."""

    status: int
    headers: Mapping[str, str]
    body: Any
    raw: bytes = field(default=b"", repr=False)

    @property
    def media_type(self) -> str:
        return self.headers.get("Content-Type", "").partition(";")[0].strip()


@dataclass(frozen=True, kw_only=True)
class Vendor:
    """An upstream. `integration` is its neutral name, the unit of billing and configuration.

    `bases` are its base URLs; the first is used unless a request names another. Without any, the
    vendor is the app itself, and its endpoints are functions that send nothing to it. `with_key`
    replaces a default base URL if there is a key. `settings` are further settings that its
    endpoints read. `refusal` reads every reply, also a 2xx, and returns None if the common table of
    statuses applies. `is_own` reads a reply whose status is in a request's `instead`. It returns
    False if the reply is not from the vendor's API but from a wrong address. `look` is called with
    every reply. `moved` reads the reply to a GET, and returns the new path of the item at the same
    base URL, or None. That path is requested once, with the same credential, which is sent nowhere
    else.
    """

    integration: str
    name: str
    bases: tuple[Setting, ...] = ()
    credential: Credential = NONE
    oauth: OAuth2 | None = None
    with_key: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[Setting, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    refusal: Callable[[Reply], ServiceError | None] = lambda reply: None
    is_own: Callable[[Reply], bool] = lambda reply: True
    look: Callable[[Reply], None] = lambda reply: None
    moved: Callable[[Reply], str | None] = lambda reply: None

    def __post_init__(self) -> None:
        """Raise ValueError for a field of another type."""
        if wrong := form_faults(self):
            raise ValueError(f"vendor {self.name}: {'; '.join(wrong)}")

    @property
    def all_settings(self) -> tuple[Setting, ...]:
        """Every setting that it declares, itself or with its credential and its OAuth."""
        oauth = self.oauth.settings if self.oauth else ()
        return (*self.credential.settings, *oauth, *self.bases, *self.settings)

    def missing(self, values: Mapping[str, str]) -> str | None:
        """Return the first required setting without a value, or None."""
        return first_missing((one for one in self.all_settings if one.required), values)

    def has_key(self, values: Mapping[str, str]) -> bool:
        """Return whether requests carry a credential of the operator's."""
        own = self.credential.settings
        return bool(own) and all(values.get(one.name) for one in own if one.secret)

    def base(self, name: str, values: Mapping[str, str]) -> str:
        """Return a base URL by its setting's name, or the first one for an empty name.

        Raises ValueError if there is none.
        """
        if not self.bases:
            raise ValueError(f"vendor {self.name} has no base URL to ask")
        setting = next((one for one in self.bases if one.name == name), self.bases[0])
        if url := values.get(setting.name):
            return url
        if self.has_key(values) and setting.name in self.with_key:
            return self.with_key[setting.name]
        return setting.default or ""
