"""The accounts at vendors to which tokens belong."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from service.integrations.declare.json_paths import find
from service.integrations.models import Grant

ID_LIMIT, EMAIL_LIMIT = 255, 320  # characters


@dataclass(frozen=True)
class VendorAccount:
    """The vendor's id of an account and its email address, or None where the vendor gives none."""

    id: str | None = None
    email: str | None = None

    @property
    def as_json(self) -> dict[str, str | None]:
        """The form in which it is stored while a consent waits for confirmation."""
        return {"sub": self.id, "email": self.email}


def from_store(stored: Mapping[str, Any]) -> VendorAccount:
    """Return a stored account. Earlier releases may have stored `id` instead of `sub`."""
    return VendorAccount(stored.get("sub") or stored.get("id"), stored.get("email"))


def account_of(answer: Any, id_paths: Iterable[str], email_path: str = "") -> VendorAccount:
    """Return the account that a vendor's answer names, by dotted paths."""
    ids = (_text(answer, path, ID_LIMIT) for path in id_paths)
    email = _text(answer, email_path, EMAIL_LIMIT) if email_path else None
    return VendorAccount(next((one for one in ids if one), None), email)


def is_other(grant: Grant, account: VendorAccount) -> bool:
    """Return whether an account differs from the connected one, or may differ."""
    return grant.account != account.id


def _text(answer: Any, path: str, limit: int) -> str | None:
    text = find(answer, path)
    fits = isinstance(text, str) and 0 < len(text) <= limit and text.isprintable()
    return text if fits else None
