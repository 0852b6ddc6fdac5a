"""Accounts at vendors: whose tokens a consent has given."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from service.integrations.declare.json_paths import find
from service.integrations.models import Grant

ID_LIMIT, EMAIL_LIMIT = 255, 320  # characters


@dataclass(frozen=True)
class VendorAccount:
    """The vendor's id of an account, and its address; None where the vendor does not say."""

    id: str | None = None
    email: str | None = None

    @property
    def as_json(self) -> dict[str, str | None]:
        """As it is kept while a consent waits to be confirmed."""
        return {"sub": self.id, "email": self.email}


def from_store(stored: Mapping[str, Any]) -> VendorAccount:
    """Releases before this one may have stored `id` for `sub`."""
    return VendorAccount(stored.get("sub") or stored.get("id"), stored.get("email"))


def account_of(answer: Any, id_paths: Iterable[str], email_path: str = "") -> VendorAccount:
    """The account that an answer of the vendor's names, by dotted paths."""
    ids = (_text(answer, path, ID_LIMIT) for path in id_paths)
    email = _text(answer, email_path, EMAIL_LIMIT) if email_path else None
    return VendorAccount(next((one for one in ids if one), None), email)


def is_other(grant: Grant, account: VendorAccount) -> bool:
    """Whether an account is another one than the connected one, or may be."""
    return grant.account != account.id


def _text(answer: Any, path: str, limit: int) -> str | None:
    text = find(answer, path)
    fits = isinstance(text, str) and 0 < len(text) <= limit and text.isprintable()
    return text if fits else None
