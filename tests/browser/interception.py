"""Routes for requests to the API that cost a page nothing else.

Playwright's own routes stop each request of a page, and turn its cache off: a console that is
loaded meanwhile fetches all of its files from the service, which takes a second of a processor.
These stop only what they match, and leave the cache as it is. Files that the browser has are not
asked for, so a file is routed by Playwright.
"""

import base64
import json as encoding
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import Any

import requests
from playwright.sync_api import Error, Page

API = "/api/"
MEDIA = "/api/media/"  # a browser keeps pictures, too
GLOB = {"**": ".*", "*": "[^/]*"}
NOT_SENT = ("content-length", "content-encoding", "connection", "transfer-encoding", "date")

Pattern = str | re.Pattern[str]


@dataclass
class Request:
    """A request that is held."""

    url: str
    method: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Route:
    """A request that waits for one of these, with as much of Playwright's interface as is used."""

    request: Request
    _id: str
    _end: Callable[[str, dict[str, Any]], None]

    def continue_(self) -> None:
        self._end("Fetch.continueRequest", {"requestId": self._id})

    def abort(self) -> None:
        self._end("Fetch.failRequest", {"requestId": self._id, "errorReason": "Failed"})

    def fetch(self) -> requests.Response:
        """The service's answer, which the page does not get."""
        asked = self.request
        return requests.request(
            asked.method, asked.url, headers=asked.headers, data=asked.body, timeout=20
        )

    def fulfill(
        self,
        status: int = 200,
        json: Any = None,
        body: str = "",
        content_type: str = "",
        headers: dict[str, str] | None = None,
        response: requests.Response | None = None,
    ) -> None:
        given = dict(headers or {})
        if response is not None:
            status = response.status_code
            given |= {k: v for k, v in response.headers.items() if k.lower() not in NOT_SENT}
            body = body or response.text
        if json is not None:
            body, given = encoding.dumps(json), {**given, "Content-Type": "application/json"}
        if content_type:
            given["Content-Type"] = content_type
        answer = {
            "requestId": self._id,
            "responseCode": status,
            "responsePhrase": HTTPStatus(status).phrase,
            "responseHeaders": [{"name": name, "value": value} for name, value in given.items()],
            "body": base64.b64encode(body.encode()).decode(),
        }
        self._end("Fetch.fulfillRequest", answer)


@dataclass
class Rule:
    """A function that is called with each request, or only with the first `times`."""

    pattern: Pattern
    handler: Callable[..., object]
    times: int | None

    @cached_property
    def matches(self) -> re.Pattern[str]:
        if isinstance(self.pattern, re.Pattern):
            return self.pattern
        parts = re.split(r"(\*\*|\*)", self.pattern)
        return re.compile("^" + "".join(GLOB.get(part, re.escape(part)) for part in parts) + "$")

    @property
    def simple(self) -> str:
        """A pattern as Chromium takes it, which may match more."""
        given = self.pattern
        return given.replace("**", "*") if isinstance(given, str) else f"*{API}*"


@dataclass
class Interception:
    """The routes of a page to the API. `install` puts them in the place of Playwright's."""

    page: Page
    rules: list[Rule] = field(default_factory=list)
    held: int = 0

    def install(self) -> None:
        page = self.page
        route, unroute, unroute_all = page.route, page.unroute, page.unroute_all

        def add(pattern: Pattern, handler: Callable[..., object], **options: Any) -> None:
            (self._add if is_api(pattern) else route)(pattern, handler, **options)

        def remove(pattern: Pattern) -> None:
            (self._remove if is_api(pattern) else unroute)(pattern)

        def remove_all(**options: Any) -> None:
            self._remove(None)
            unroute_all(**options)

        page.route, page.unroute, page.unroute_all = add, remove, remove_all  # type: ignore

    @cached_property
    def _session(self) -> Any:
        session = self.page.context.new_cdp_session(self.page)
        session.on("Fetch.requestPaused", self._meet)
        return session

    def _add(
        self, pattern: Pattern, handler: Callable[..., object], times: int | None = None
    ) -> None:
        self.rules.insert(0, Rule(pattern, handler, times))
        self._look_for_rules()

    def _remove(self, pattern: Pattern | None) -> None:
        """Remove the rules, or all. What is held goes on when there are none."""
        if self.rules or self.held:
            self.rules = [rule for rule in self.rules if pattern not in (None, rule.pattern)]
            self.held = self.held if self.rules else 0
            self._look_for_rules()

    def _look_for_rules(self) -> None:
        if self.rules:
            patterns = [{"urlPattern": rule.simple} for rule in self.rules]
            self._session.send("Fetch.enable", {"patterns": patterns})
        elif not self.held:
            self._session.send("Fetch.disable")

    def _meet(self, event: dict[str, Any]) -> None:
        asked = event["request"]
        parts = [one["bytes"] for one in asked.get("postDataEntries", [])]
        body = b"".join(map(base64.b64decode, parts))
        request = Request(asked["url"], asked["method"], asked["headers"], body)
        self.held += 1
        route = Route(request, event["requestId"], self._end)
        rule = next((one for one in self.rules if one.matches.search(request.url)), None)
        if rule is None:
            route.continue_()
            return
        if rule.times is not None:
            rule.times -= 1
            if not rule.times:
                self.rules.remove(rule)
        rule.handler(route)

    def _end(self, method: str, answer: dict[str, Any]) -> None:
        self.held = max(0, self.held - 1)
        with suppress(Error):  # the page has been left, or the routes removed
            self._session.send(method, answer)
        with suppress(Error):
            if not self.rules:
                self._look_for_rules()


def is_api(pattern: Pattern) -> bool:
    text = pattern if isinstance(pattern, str) else pattern.pattern
    return API in text and MEDIA not in text
