"""One model round trip: the prompt out over HTTP, the events of the answer back."""

from collections.abc import Iterator

from service.providers.events import Event, ProviderError
from service.providers.prompt import Prompt
from service.providers.provider import Model
from service.providers.stream import decode
from service.upstream import ByteStream, Outbound, Upstream, UpstreamError, read_all

REFUSAL_LIMIT = 1 << 20  # bytes of an error body that are looked at

# Seconds without a byte, by provider: reasoning models of B and C are silent for long.
IDLE = {"A": 30.0, "B": 90.0, "C": 90.0}


def ask(upstream: Upstream, model: Model, prompt: Prompt) -> Iterator[Event]:
    """Events up to the terminal one. Raises `ProviderError`; nothing of its text is kept."""
    provider = model.provider
    request = provider.wire.request(provider, model.upstream_name, prompt)
    outbound = Outbound(
        name=f"provider-{provider.kind}",
        method="POST",
        url=provider.base_url + request.path,
        headers=request.headers,
        body=request.body,
        idle=IDLE[provider.kind],
    )
    try:
        with upstream.open(outbound) as stream:
            if stream.status != 200:
                yield provider.wire.refusal(stream.status, _body(stream), request.names)
            else:
                yield from decode(stream.read, provider.wire.decoder(request.names))
    except UpstreamError as error:
        raise ProviderError("busy" if error.reason == "unreachable" else "cut") from None


def _body(stream: ByteStream) -> bytes:
    try:
        return read_all(stream, REFUSAL_LIMIT)
    except UpstreamError:
        return b""  # the status says enough
