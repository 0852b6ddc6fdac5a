"""Check the examples of an endpoint, as far as that is possible without a call."""

import json
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlencode

from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.payload import parse, query_value
from service.integrations.declare.reading import Unusable
from service.integrations.declare.request import Outgoing, Template
from service.integrations.declare.shape import Values


def example_faults(item: Endpoint) -> Iterator[str]:
    """Yield each fault of an example as a sentence, with the example's number."""
    for number, example in enumerate(item.examples):
        yield from (f"example {number}: {fault}" for fault in _faults(item, example))


def _faults(item: Endpoint, example: Example) -> Iterator[str]:
    """Yield the faults of an example. Requests of a function or a job are known only by a call."""
    asks = {name: value for name, value in example.asks.items() if name != "wait"}
    if wrong := item.parameters.validate(asks):
        yield str(wrong)
    elif item.asks and len(example.exchanges) == 1 and not (item.run or item.job):
        values = item.parameters.load(asks)
        request, stated = item.asks.fill(item.parameters, values), example.exchanges[0]
        yield from _request_faults(item.asks, request, stated)
        yield from _answer_faults(item, stated, values)


def _request_faults(template: Template, request: Outgoing, stated: Exchange) -> Iterator[str]:
    """Yield differences of the request. Query constants may be credentials, which examples omit."""
    path, _, query = stated.target.partition("?")
    pairs = parse_qsl(query, keep_blank_values=True)
    left_out = template.query.keys() - dict(pairs)
    kept = {name: query_value(one) for name, one in request.query.items() if name not in left_out}
    sent = urlencode(kept, doseq=True)
    line = f"{request.method} {request.path}" + (f"?{sent}" if sent else "")
    if (request.method, request.path) != (stated.method, path) or (
        sorted(parse_qsl(sent, keep_blank_values=True)) != sorted(pairs)
    ):
        yield f"the request is {line}, not {stated.sends}"
    if request.json is not None and request.json != stated.body:
        yield f"the request's body is {json.dumps(request.json)}, not {json.dumps(stated.body)}"


def _answer_faults(item: Endpoint, stated: Exchange, values: Values) -> Iterator[str]:
    """Yield a fault if `gives` can't read the answer. The log names the field at fault."""
    if item.asks and item.asks.returns == "json" and stated.status == 200:
        try:
            item.gives.read(parse(stated.content[0]), values)
        except Unusable:
            yield "`gives` can't read its answer"
