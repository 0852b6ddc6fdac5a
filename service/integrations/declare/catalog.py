"""The endpoints of an app, by every name they have."""

import re
from collections.abc import Iterable, Iterator, Mapping

from service.app_keys import AppKey
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.setting import Setting
from service.integrations.declare.vendor import Vendor
from service.name_suggestions import near_names
from service.web.errors import UnknownEndpoint

CATALOG = AppKey["Catalog"]("catalog")
PIECE = "[A-Za-z0-9][A-Za-z0-9_.-]*"
PIECE_RULE = "must be ASCII letters, digits, '-', '_' and '.', with a letter or digit first"
ENDPOINT_NAME = re.compile(f"{PIECE}(?:/{PIECE})*")
LONGEST_NAME = 64  # characters of an endpoint or integration, as stored with each call


class Catalog:
    """The endpoints of an app, by each of their names."""

    def __init__(self, endpoints: Iterable[Endpoint], vendors: Iterable[Vendor] = ()) -> None:
        """`vendors` may include further vendors, which functions of the endpoints ask.

        Raises ValueError for a name that is used twice, too long or can't be in an address, for two
        settings with one name, and for a setting that an endpoint needs and its vendor does not
        declare.
        """
        self._endpoints = tuple(endpoints)
        self._further = tuple(vendors)
        self._by_name: dict[str, Endpoint] = {}
        for item in self._endpoints:
            for name in item.names:
                if name in self._by_name:
                    raise ValueError(f"endpoint {name} is declared twice")
                self._by_name[name] = item
            if not set(item.needs).issubset(item.vendor.all_settings):
                raise ValueError(f"endpoint {item.name} needs a setting that its vendor has not")
        _check_names(self, self.vendors)
        stored = [item.name for item in self] + [one.integration for one in self.vendors]
        if too_long := [name for name in stored if len(name) > LONGEST_NAME]:
            raise ValueError(f"the name {too_long[0]} has more than {LONGEST_NAME} characters")
        self._settings: dict[str, Setting] = {}
        for setting in (one for vendor in self.vendors for one in vendor.all_settings):
            if self._settings.setdefault(setting.name, setting) != setting:
                raise ValueError(f"setting {setting.name} is declared in two ways")

    def __iter__(self) -> Iterator[Endpoint]:
        return iter(self._endpoints)

    @property
    def names(self) -> Mapping[str, Endpoint]:
        return self._by_name

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Every setting that a vendor declares, once."""
        return tuple(self._settings.values())

    @property
    def vendors(self) -> tuple[Vendor, ...]:
        """Every vendor, once: those of endpoints, their alternatives, and the further ones."""
        own = [item.vendor for item in self._endpoints]
        others = [vendor for item in self._endpoints for vendor in item.alternatives]
        return tuple({one.name: one for one in (*own, *others, *self._further)}.values())

    def named(self, name: str) -> Endpoint:
        """Return the endpoint of that name. Raises `UnknownEndpoint` with the nearest names."""
        if name not in self._by_name:
            raise UnknownEndpoint(near_names(name, self._by_name))
        return self._by_name[name]


def _check_names(endpoints: Iterable[Endpoint], vendors: Iterable[Vendor]) -> None:
    """Raise ValueError for a name that can't be in the address of a route or a stand-in."""
    for name in (name for item in endpoints for name in item.names):
        if not ENDPOINT_NAME.fullmatch(name):
            rule = f"{PIECE_RULE}, or several such pieces with '/' between them"
            raise ValueError(f"endpoint {name!r:.80}: its name {rule}")
    for vendor in vendors:
        for kind in ("integration", "name"):
            if not re.fullmatch(PIECE, getattr(vendor, kind)):
                raise ValueError(f"vendor {vendor.name!r:.80}: its `{kind}` {PIECE_RULE}")
