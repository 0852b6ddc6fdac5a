"""A setting that a vendor declares: its name in the environment, its kind and its purpose.

The declaration decides how `config.py` reads it, whether its value is redacted in logs, whether
`NAME_FILE` works, and its row in docs/deployment.md.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import config_addresses
from service.app_keys import AppKey

Kind = Literal["text", "header", "url", "base-url", "server", "scope-names", "ids"]

NAME = re.compile("[A-Z][A-Z0-9_]*")

VENDOR_SETTINGS = AppKey[Mapping[str, str]]("vendor_settings")
SANDBOX_URL = AppKey[str]("sandbox_url")


@dataclass(frozen=True)
class Setting:
    """`about` is a phrase for operators. A `secret` is never logged and may come from a file.

    A `header` is a text that a header can carry, `scope-names` are `neutral=suffix` pairs, and
    `ids` consist of capital letters and digits, with commas between them. Paths are appended to a
    `base-url`, and to a `server`, which may have any of the schemes http, https, ws and wss, and is
    read as http or https. A `url` is requested without changes.
    `sandbox` is its value for the examples, if they need one: in the sandbox and in the tests.

    An endpoint whose vendor has a `required` setting without a value answers `not_configured`.
    """

    name: str
    about: str
    kind: Kind = "text"
    default: str | None = None
    secret: bool = False
    required: bool = False
    sandbox: str | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for a name that no environment variable should have."""
        if not NAME.fullmatch(self.name):
            rule = "may have only capital letters, digits and '_', and begin with a letter"
            raise ValueError(f"setting {self.name!r:.80}: its name {rule}")


def secret(name: str, about: str, *, kind: Kind = "header", required: bool = True) -> Setting:
    """Declare a key, token or password. One that never goes into a header may be a `text`."""
    return Setting(name, about, kind, secret=True, required=required)


def base_url(name: str, default: str, about: str = "") -> Setting:
    """Declare the address that comes before the paths of a vendor's requests.

    Raises ValueError for a default that could not be the setting's value.
    """
    usable = _usable(name, default, config_addresses.base_url)
    return Setting(name, about or "base URL", "base-url", usable)


def address(name: str, default: str, about: str = "") -> Setting:
    """Declare an address to which nothing is appended, such as an authorization server's.

    Raises ValueError for a default that could not be the setting's value.
    """
    return Setting(name, about or "address", "url", _usable(name, default, config_addresses.url))


def _usable(name: str, default: str, parse: Callable[[str], str]) -> str:
    """Return a default as the setting's value would be read. Raises ValueError."""
    try:
        return parse(default)
    except ValueError as error:
        raise ValueError(f"setting {name}: its default {error}") from None


def first_missing(settings: Iterable[Setting], values: Mapping[str, str]) -> str | None:
    """Return the name of the first of these settings without a value, or None."""
    return next((one.name for one in settings if not values.get(one.name)), None)
