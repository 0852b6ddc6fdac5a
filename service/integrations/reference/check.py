"""Check that endpoints have everything promised: links, prices, descriptions, schemas."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from service.billing.prices import CALLS
from service.integrations import documents
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.categories import CATEGORIES
from service.integrations.declare.endpoint import Endpoint
from service.integrations.reference.examples import example_faults
from service.integrations.reference.specified_names import Promise, missing, promise_of

meta: Any
try:
    from jsonschema_rs import meta
except ImportError:  # a tool of the tests: in production the schemas are not validated
    meta = None


def catalog_faults(
    catalog: Catalog, promised: Iterable[Promise], built_in: Iterable[Endpoint]
) -> Iterator[str]:
    """Yield missing names, names that are not promised, and the faults of endpoints.

    Endpoints that are not `built_in` are an app's own, and need not be promised.
    """
    promised, ours = tuple(promised), set(built_in)
    for one in missing(promised, catalog.names):
        yield f"{one}: no endpoint has this name"
    for item in catalog:
        found = [*endpoint_faults(item), *(_promise_faults(promised, item) if item in ours else ())]
        yield from (f"{item.name}: {fault}" for fault in found)
    for name in sorted(CALLS.keys() - {item.name for item in catalog}):
        yield f"{name}: has a price, and is no endpoint"


def endpoint_faults(item: Endpoint) -> Iterator[str]:
    """Yield the faults of an endpoint."""
    link = urlsplit(item.docs)
    if link.scheme != "https" or not link.netloc:
        yield f"its documentation is no https address: {item.docs!r}"
    if not _has_price(item):
        yield "has no price, not even 0, in its `credits` or in billing/prices.py"
    body, answer = documents.body_schema(item), documents.answer_schema(item)
    yield from (f"{path}: has no description" for path in _list_undescribed(body, ""))
    for name, schema in (("request", body), ("answer", answer)):
        if meta and not meta.is_valid(schema):
            yield f"the schema of its {name} is not JSON Schema 2020-12"
    if item.says:
        yield from item.says.faults(body, item.gives.schema())
    yield from example_faults(item)


def _promise_faults(promised: Iterable[Promise], item: Endpoint) -> Iterator[str]:
    for name in item.names:
        promise = promise_of(promised, name)
        if promise is None:
            yield f"nobody has promised the name {name}"
        elif promise.category != CATEGORIES[item.category]:
            yield f"belongs to the category {promise.category!r}"


def _has_price(item: Endpoint) -> bool:
    stated = item.credits is not None or item.name in CALLS or item.model is not None
    return stated or item.access.auto_approve


def _list_undescribed(schema: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the parameters without a description, also within objects and lists."""
    for name, inner in schema.get("properties", {}).items():
        if not inner.get("description"):
            yield path + name
        yield from _list_undescribed(inner, f"{path}{name}.")
    if isinstance(schema.get("items"), Mapping):
        yield from _list_undescribed(schema["items"], path)
