"""The endpoints of an app, by every name they have."""

from collections.abc import Iterable, Iterator, Mapping

from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.setting import Setting
from service.integrations.declare.vendor import Vendor
from service.near_names import near_names
from service.web.errors import UnknownEndpoint


class Catalog:
    """The endpoints of an app, by every name they have."""

    def __init__(self, endpoints: Iterable[Endpoint], vendors: Iterable[Vendor] = ()) -> None:
        """`vendors` may have further ones, which functions of the endpoints ask.

        Raises ValueError for a name that is taken twice, by endpoints, by vendors or by settings,
        and for two vendors with OAuth in one integration.
        """
        self._endpoints = tuple(endpoints)
        self._vendors = _by_name(self._endpoints, vendors)
        self._by_name: dict[str, Endpoint] = {}
        for item in self._endpoints:
            for name in item.names:
                if name in self._by_name:
                    raise ValueError(f"endpoint {name} is declared twice")
                self._by_name[name] = item
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
        """Every vendor, once: those of endpoints, alternatives, and the further ones."""
        return tuple(self._vendors.values())

    def named(self, name: str) -> Endpoint:
        """Raises `UnknownEndpoint` with the nearest names."""
        if name not in self._by_name:
            raise UnknownEndpoint(nearest=near_names(name, self._by_name))
        return self._by_name[name]


def _by_name(endpoints: Iterable[Endpoint], further: Iterable[Vendor]) -> dict[str, Vendor]:
    """Raises ValueError."""
    own = [item.vendor for item in endpoints]
    alternatives = [vendor for item in endpoints for vendor in item.alternatives]
    vendors: dict[str, Vendor] = {}
    for vendor in (*own, *alternatives, *further):
        if vendors.setdefault(vendor.name, vendor) != vendor:
            raise ValueError(f"vendor {vendor.name} is declared in two ways")
    with_oauth = [vendor.integration for vendor in vendors.values() if vendor.oauth]
    for name in set(with_oauth):
        if with_oauth.count(name) > 1:
            raise ValueError(f"two vendors of {name} have OAuth")
    return vendors
