"""The declaration of the suite's APIs: routes, the scopes that open them, and their functions."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from service.sandbox.suite.client import DemoAccount


@dataclass(frozen=True)
class ApiRequest:
    """A request with a valid token."""

    account: DemoAccount
    scopes: frozenset[str]
    path: Mapping[str, str]
    query: Mapping[str, list[str]]
    body: bytes
    content_type: str

    def one(self, name: str, default: str = "") -> str:
        return self.query.get(name, [default])[0]

    def number(self, name: str, default: int, most: int) -> int:
        text = self.one(name, str(default))
        number = _number(text)
        if number is None or not 0 < number <= most:
            raise ApiError(400, "invalid", f"Invalid value for {name}")
        return number

    def json(self) -> dict[str, Any]:
        try:
            value = json.loads(self.body)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise ApiError(400, "parseError", "Parse Error")
        return value


@dataclass(frozen=True)
class Media:
    """An answer that is not JSON."""

    content: bytes
    type: str


Answer = Mapping[str, Any] | Media | None  # None is 204


@dataclass(frozen=True)
class Route:
    method: str
    rule: str
    scopes: frozenset[str]
    answer: Callable[[ApiRequest], Answer]


class ApiError(Exception):
    """An error in the form of Google's APIs. `reason` is the word of its classic APIs."""

    def __init__(self, status: int, reason: str, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.status, self.reason, self.message, self.detail = status, reason, message, detail

    @property
    def body(self) -> dict[str, Any]:
        listed = {"message": self.message, "domain": "global", "reason": self.reason}
        error = {"code": self.status, "message": self.message, "errors": [listed]}
        if self.detail:
            kind = "type.googleapis.com/google.rpc.ErrorInfo"
            error["details"] = [{"@type": kind, "reason": self.detail}]
        return {"error": error}


def unauthenticated() -> ApiError:
    return ApiError(401, "authError", "Invalid Credentials")


def scope_missing() -> ApiError:
    message = "Request had insufficient authentication scopes."
    return ApiError(403, "insufficientPermissions", message, "ACCESS_TOKEN_SCOPE_INSUFFICIENT")


def not_found(what: str) -> ApiError:
    return ApiError(404, "notFound", f"{what} not found.")


def page(request: ApiRequest, items: list[Any], size: int) -> tuple[list[Any], dict[str, str]]:
    """Return a page of a list, and the fields that lead to the next page. Raises `ApiError`."""
    start = _number(request.one("pageToken", "0"))
    if start is None:
        raise ApiError(400, "invalid", "Invalid value for pageToken")
    more = {"nextPageToken": str(start + size)} if len(items) > start + size else {}
    return items[start : start + size], more


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else None
