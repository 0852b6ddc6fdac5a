"""An incoming call, and the response to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

from flask import Response, jsonify
from sqlalchemy.orm import Session

from service.auth.users import Caller
from service.web.json_values import Encoded


class CallNote(Protocol):
    """A caller's notes about a call, which are written in transactions of the call itself.

    `leave` is called before its first request is sent. `end` is called when its answer is stored,
    perhaps twice, and `withdraw` if it has changed nothing. Neither is called if the outcome is
    unknown.
    """

    def leave(self, session: Session) -> None: ...

    def end(self, session: Session) -> None: ...

    def withdraw(self, session: Session) -> None: ...


@dataclass(frozen=True)
class Inbound:
    """A request for an endpoint.

    `token` is the caller's unchanged bearer token. `read` parses the body, which is not read before
    the grant is known to suffice. `browser` is the cookie that binds a consent to this browser, if
    the call comes from one. `approval` is the decision that let the call through, as stated by the
    client. `fresh` means that the client wants no kept answer. `door` is the origin of the call:
    `chat` and `mcp` are certain, `widget` is stated by the client, and None is any other. With
    `again`, the call was sent before under its key: its stored answer is given, and no call is
    made. A `note` needs a key. `chat_id` is the chat of an assistant's call, with which the stored
    answer is deleted.
    """

    caller: Caller
    token: str
    endpoint: str
    read: Callable[[], Mapping[str, Any]]
    browser: str | None = None
    idempotency_key: str | None = None
    approval: str | None = None
    request_id: str = ""
    fresh: bool = False
    door: str | None = None
    again: bool = False
    note: CallNote | None = None
    chat_id: str | None = None

    @cached_property
    def body(self) -> Mapping[str, Any]:
        """The parameters as they were sent. Raises `InvalidRequest`, `TooLarge`."""
        return self.read()


@dataclass(frozen=True)
class Answer:
    """The `data` of an envelope, encoded if it is kept. With `consent`, the OAuth-required payload.

    A kept answer that is given again has its `age` in seconds. If the payload is given because the
    vendor has refused a grant, `refused_consent` is the time of that grant's consent.
    """

    data: Any
    consent: bool = False
    age: int | None = None
    refused_consent: datetime | None = None

    def response(self) -> "ProxyResponse":
        """Return the response with this answer. Source: RFC 9111, section 5.1."""
        headers = {} if self.age is None else {"Age": str(self.age), "X-Cache": "hit"}
        envelope = {"success": True, "data": self.data}
        return ProxyResponse(200, envelope, headers, self.consent, self.refused_consent)


@dataclass(frozen=True)
class ProxyResponse:
    """The response to a call.

    If this instance made the payload, `consent` and `refused_consent` are set as in `Answer`.
    """

    status: int
    envelope: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)
    consent: bool = False
    refused_consent: datetime | None = None

    @property
    def data(self) -> Any:
        """The envelope's `data` as a value."""
        data = self.envelope.get("data")
        return data.value if isinstance(data, Encoded) else data

    @property
    def is_payload(self) -> bool:
        """Whether `data` is the OAuth-required payload, made by this or the other instance."""
        return isinstance(self.data, dict) and self.data.get("requiresOAuth") is True

    def response(self) -> Response:
        response = jsonify(self.envelope)
        response.status_code = self.status
        response.headers.update(self.headers)
        return response
