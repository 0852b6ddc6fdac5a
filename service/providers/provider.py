"""Declarations of providers and models, and the interface of a wire."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from service.providers.events import Event
from service.providers.names import NameTable
from service.providers.prompt import Prompt
from service.providers.sse import ServerSentEvent

Kind = Literal["A", "B", "C"]


@dataclass(frozen=True)
class WireRequest:
    """A POST: `path` is appended to the provider's base URL."""

    path: str
    headers: Mapping[str, str]
    body: bytes
    names: NameTable


class Decoder(Protocol):
    """Reads one answer; `finished` is true when it has yielded the terminal event."""

    finished: bool

    def feed(self, event: ServerSentEvent) -> Iterator[Event]: ...

    def text(self, data: bytes) -> str | None:
        """Return the text of an event's data that has nothing else; None for other data.

        It changes no state. `feed` would yield the same text, and change no state either. The text
        depends on the data alone, and is a JSON string in it: another string in its place would be
        returned instead. A text that can't be stored is left to `feed`.
        """

    @property
    def has_half(self) -> bool:
        """Whether the last text ended within a character. Then only `feed` can read the next."""

    def end(self) -> Iterator[Event]:
        """Yield the events at the end of the stream.

        Raises `ProviderError` if the stream may not end here.
        """


class Wire(Protocol):
    def request(self, provider: "Provider", upstream_name: str, prompt: Prompt) -> WireRequest: ...

    def decoder(self, names: NameTable) -> Decoder: ...

    def refusal(self, status: int, body: bytes, names: NameTable) -> Event:
        """Return the event of a status other than 200.

        Most of them raise `ProviderError` instead.
        """


@dataclass(frozen=True)
class Provider:
    """A provider of models, with its address and its wire.

    `output_cap` is the body's key for the limit of output tokens. `reasoning_effort` is sent if the
    request has tools. With `receives_user` it gets a pseudonym of the user, so that it can act
    against one user alone.
    """

    kind: Kind
    wire: Wire
    base_url: str
    api_key: str | None
    needs_key: bool = True
    output_cap: str = "max_tokens"
    reasoning_effort: str | None = None
    receives_user: bool = False

    @property
    def missing_setting(self) -> str | None:
        """The name of the setting that is missing for calls to this provider, or None."""
        return f"PROVIDER_{self.kind}_API_KEY" if self.needs_key and not self.api_key else None


@dataclass(frozen=True)
class Model:
    """`id` is the specification's neutral id, `upstream_name` the provider's own."""

    id: str
    upstream_name: str
    provider: Provider
