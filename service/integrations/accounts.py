"""Whose account at a vendor a consent was given with."""

from collections.abc import Mapping

from service.integrations.models import Grant


def account_id(account: Mapping[str, str]) -> str | None:
    """The vendor's id of an account, from its userinfo answer."""
    return account.get("sub") or account.get("id")


def is_other(grant: Grant, account: Mapping[str, str]) -> bool:
    """Whether an account is another one than the connected one, or may be."""
    return grant.account != account_id(account)
