"""Refuse names that a query has more than once."""

from collections.abc import Iterable

from service.web.errors import InvalidRequest


def refuse_repeated(query: Iterable[tuple[str, list[str]]]) -> None:
    """Raise `InvalidRequest` for each name with several values, because only one would count."""
    if repeated := [name[:100] for name, values in query if len(values) > 1]:
        raise InvalidRequest(details={name: ["Must be given once."] for name in repeated})
