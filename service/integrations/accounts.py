"""Whose account at a vendor a consent was given with."""

from collections.abc import Mapping

from service.integrations.models import Grant


def account_id(account: Mapping[str, str]) -> str | None:
    """The vendor's id of an account, as userinfo tells it."""
    return account.get("sub") or account.get("id")


def is_other(grant: Grant, account: Mapping[str, str]) -> bool:
    """Whether an account is not, or can't be told to be, the one that is connected."""
    return grant.account != account_id(account)
