"""What is wrong with an endpoint, as far as its examples can tell."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from joserfc import jwt
from joserfc.jwk import OctKey
from jsonschema_rs import Draft202012Validator
from marshmallow import missing

from service.integrations.declare.credential import Signer
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example
from service.integrations.declare.vendor import Vendor
from tests.integrations.bench import descriptions
from tests.integrations.bench.bench import BEARER, Bench, Run
from tests.integrations.bench.credentials import CREDENTIALS
from tests.integrations.bench.traffic import CANARY, credentials, is_stated, sent, stated


def faults(bench: Bench, endpoint: Endpoint) -> Iterator[str]:
    """What is wrong with its scopes, and with its examples one by one and together."""
    yield from _scope_faults(bench, endpoint)
    filled = set[str]()
    for number, example in enumerate(endpoint.examples):
        run = bench.run(endpoint, example)
        found = [*_answer_faults(endpoint, run), *_request_faults(bench, endpoint, example, run)]
        yield from (f"example {number}: {fault}" for fault in found)
        filled |= set(_filled(run.data))
        if run.answer.status_code == 200 and endpoint.access.gets and not endpoint.job:
            yield from _get_faults(bench, endpoint, example, run)
    yield from _unused(endpoint)
    empty = sorted(set(_fields(endpoint.gives.schema())) - filled)
    yield from (f"{path}: no example fills this field" for path in empty)


def _answer_faults(endpoint: Endpoint, run: Run) -> Iterator[str]:
    if run.answer.status_code != 200 or run.answer.json.get("success") is not True:
        yield f"answers {run.answer.status_code} {run.answer.text}"
    elif run.data is None:
        yield f"has no result: {run.answer.text}"
    else:
        for error in Draft202012Validator(endpoint.gives.schema()).iter_errors(run.data):
            yield f"the answer does not fit its schema: {error.instance_path} {error.message}"


def _request_faults(bench: Bench, endpoint: Endpoint, example: Example, run: Run) -> Iterator[str]:
    left = [stated(endpoint, exchange) for exchange in example.exchanges]
    for asked in run.requests:
        request = sent(asked, endpoint.vendor)
        fitting = [one for one in left if is_stated(request, one)]
        if fitting:
            left.remove(fitting[0])
        else:
            yield f"sends what it does not state: {request}"
        yield from request_faults(bench, endpoint, asked)
    for request in left:
        yield f"does not send: {request}"


def request_faults(bench: Bench, endpoint: Endpoint, asked: Any) -> Iterator[str]:
    """What is wrong with the credentials of a request, and by the vendor's own description."""
    base = sent(asked).base
    vendors = (endpoint.vendor, *bench.proxy.catalog.vendors)
    vendor = next((one for one in vendors if base in [setting.name for setting in one.bases]), None)
    if vendor is None:
        yield f"no base URL {base}"
        return
    if descriptions.has(vendor, asked):
        bench.described.add(endpoint.name)
    yield from _credential_faults(vendor, endpoint, asked)
    yield from descriptions.faults(vendor, asked)


def _credential_faults(vendor: Vendor, endpoint: Endpoint, asked: Any) -> Iterator[str]:
    expected = CREDENTIALS.get(vendor.name)
    if vendor is endpoint.vendor and endpoint.scope:
        expected = {"authorization": f"Bearer {BEARER}"}
    if expected is None:
        yield f"state in credentials.py what goes with a request to {vendor.name}"
        return
    there = {name: _signed(vendor, text) for name, text in credentials(asked).items()}
    expected = {name: _with_canaries(vendor, text) for name, text in expected.items()}
    if there not in ({}, expected) or (there != expected and _needs_credential(endpoint)):
        yield f"credentials {there}, not {expected}"


def _signed(vendor: Vendor, text: str) -> str:
    """A signed token differs each second: its issuer stands for it."""
    signer, token = vendor.credential, text.removeprefix("Bearer ")
    if not isinstance(signer, Signer):
        return text
    key = OctKey.import_key(f"{signer.secret.name}{CANARY}")
    return f"Bearer JWT of {jwt.decode(token, key).claims['iss']}"


def _needs_credential(endpoint: Endpoint) -> bool:
    return endpoint.asks is None or endpoint.asks.has_key


def _with_canaries(vendor: Vendor, text: str) -> str:
    return text.format(**{one.name: f"{one.name}{CANARY}" for one in vendor.all_settings})


def _scope_faults(bench: Bench, endpoint: Endpoint) -> Iterator[str]:
    """Each accepted scope opens the endpoint, and the vendor's description or table has it."""
    if not endpoint.scope or not endpoint.vendor.oauth:
        return
    oauth = endpoint.vendor.oauth
    tables = {*oauth.scope_names, *(name for names in oauth.flags.values() for name in names)}
    for name in (endpoint.scope, *endpoint.accepted, *endpoint.narrow):
        run = bench.run(endpoint, endpoint.examples[0], by=bench.person(endpoint, name))
        if run.answer.json.get("data", {}).get("requiresOAuth"):
            yield f"scope {name} does not open it"
        full = bench.proxy.connections.scopes(endpoint.vendor.integration).full(name)
        opens = [descriptions.opens(endpoint.vendor, asked, full) for asked in run.requests]
        if False in opens or (True not in opens and name not in tables):
            yield f"scope {name} is not one of the vendor's for this"


def _unused(endpoint: Endpoint) -> Iterator[str]:
    """A parameter without an example may have any target."""
    used = set().union(*(example.asks for example in endpoint.examples))
    for name, field in endpoint.parameters.fields.items():
        if name not in used and field.load_default is missing:
            yield f"{name}: no example uses this parameter"


def _get_faults(bench: Bench, endpoint: Endpoint, example: Example, run: Run) -> Iterator[str]:
    """A GET is answered as the POST was, and sends the same."""
    if any(isinstance(value, Mapping) for value in example.asks.values()):
        return
    again = bench.run(endpoint, example, "GET")
    if _lasting(again.answer.json) != _lasting(run.answer.json):
        yield f"GET answers {again.answer.text}"
    if _all_sent(again) != _all_sent(run):
        yield f"GET sends {_all_sent(again)}"


def _lasting(value: Any) -> Any:
    """An answer without what differs each time: the addresses of stored media."""
    if isinstance(value, list):
        return [_lasting(one) for one in value]
    if not isinstance(value, Mapping):
        return value
    is_stored = {"url", "expiresAt", "bytes"} <= value.keys()
    passing = {"url", "expiresAt"} if is_stored else set()
    return {name: _lasting(one) for name, one in value.items() if name not in passing}


def _all_sent(run: Run) -> list[Any]:
    return sorted((sent(asked) for asked in run.requests), key=lambda one: one.order)


def _fields(schema: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The path of every field of an answer, by its schema; `[]` stands for the items of a list."""
    for part in (schema, *schema.get("anyOf", ())):
        for name, inner in part.get("properties", {}).items():
            yield f"{path}.{name}"
            yield from _fields(inner, f"{path}.{name}")
        if "items" in part:
            yield from _fields(part["items"], f"{path}[]")


def _filled(data: Any, path: str = "") -> Iterable[str]:
    """The path of every field that has a value: not null, and not empty."""
    if data not in (None, "", [], {}):
        yield path
    match data:
        case dict():
            for name, value in data.items():
                yield from _filled(value, f"{path}.{name}")
        case list():
            for value in data:
                yield from _filled(value, f"{path}[]")
