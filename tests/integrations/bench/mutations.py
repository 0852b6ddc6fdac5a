"""Copies of an endpoint with one mistake each, which the bench must find."""

import copy
import random
from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass, replace
from typing import Any

from service.integrations.declare.credential import HeaderKey, HeaderKeys, QueryKey
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.shape import Leaf, Made, Shape

Mutation = tuple[str, str, Endpoint]


def mutations(endpoint: Endpoint) -> Iterator[Mutation]:
    """The kind of thing that is wrong, which one it is, and the endpoint that has it."""
    yield from _paths_of_answer(endpoint)
    yield from _targets(endpoint)
    yield from _template(endpoint)
    yield from _scope(endpoint)
    yield from _credential(endpoint)


def one_of_each_kind(every: Iterable[Mutation]) -> Iterator[Mutation]:
    """Another one for each endpoint, and the same in every run."""
    kinds: dict[str, list[Mutation]] = {}
    for mutation in every:
        kinds.setdefault(mutation[0], []).append(mutation)
    for alike in kinds.values():
        yield random.Random(alike[0][2].name).choice(alike)


def _paths_of_answer(endpoint: Endpoint) -> Iterator[Mutation]:
    """Shapes that a function reads by itself are not in `gives`, and not of this table."""
    if endpoint.run or endpoint.job:
        return
    for number, (name, kind) in enumerate(_leaves(endpoint.gives)):
        if kind.path:
            gives = copy.deepcopy(endpoint.gives)
            wrong = list(_leaves(gives))[number][1]
            object.__setattr__(wrong, "path", f"{kind.path}X")
            vars(wrong).pop("name", None)  # made of the right path
            yield "answer", f"{name}: {kind.path}X", replace(endpoint, gives=gives)


def _leaves(kind: Any, name: str = "") -> Iterator[tuple[str, Leaf]]:
    if isinstance(kind, Shape):
        for field, inner in kind.fields.items():
            yield from _leaves(inner, f"{name}.{field}")
    elif isinstance(kind, Leaf):
        yield name, kind
    elif is_dataclass(kind) and not isinstance(kind, Made) and not isinstance(kind.of, str):
        yield from _leaves(kind.of, name)


def _targets(endpoint: Endpoint) -> Iterator[Mutation]:
    for name, field in endpoint.parameters.fields.items():
        for target in field.metadata.get("to", ()):
            if not target.startswith(("path.", "base.")) and "." in target:
                takes = _with_target(endpoint, name, target)
                yield "parameter", f"{name}: {target}X", replace(endpoint, takes=takes)


def _with_target(endpoint: Endpoint, name: str, target: str) -> Any:
    """Parameters of which one has another target."""
    field = copy.copy(endpoint.parameters.declared_fields[name])
    others = [one for one in field.metadata["to"] if one != target]
    field.metadata = {**field.metadata, "to": (*others, f"{target}X")}
    meta = type("Meta", (endpoint.takes.Meta,), {"include": {}})  # which would win over the field
    return type(endpoint.takes.__name__, (endpoint.takes,), {name: field, "Meta": meta})


def _template(endpoint: Endpoint) -> Iterator[Mutation]:
    if endpoint.asks:
        asks = replace(endpoint.asks, path=f"{endpoint.asks.path}X")
        yield "path of its request", asks.path, replace(endpoint, asks=asks)
        other = "PUT" if endpoint.asks.method != "PUT" else "POST"
        asks = replace(endpoint.asks, method=other)
        yield "method of its request", other, replace(endpoint, asks=asks)
    if endpoint.job:
        poll = replace(endpoint.job.poll, path=f"{endpoint.job.poll.path}X")
        job = replace(endpoint.job, poll=poll)
        yield "path of its polls", poll.path, replace(endpoint, job=job)


def _scope(endpoint: Endpoint) -> Iterator[Mutation]:
    if endpoint.scope:
        scope = f"{endpoint.scope}X"
        yield "scope", scope, replace(endpoint, scope=scope)
    for number, scope in enumerate(endpoint.accepted):
        accepted = list(endpoint.accepted)
        accepted[number] = f"{scope}X"
        yield "accepted scope", accepted[number], replace(endpoint, accepted=tuple(accepted))
    if endpoint.narrow:
        narrow = f"{endpoint.narrow[0]}X"
        yield "narrow scope", narrow, replace(endpoint, narrow=(narrow,))


def _credential(endpoint: Endpoint) -> Iterator[Mutation]:
    wrong: Any
    if endpoint.scope or (endpoint.asks and not endpoint.asks.has_key):
        return  # the user's token, or nobody's
    if not any(example.exchanges for example in endpoint.examples):
        return  # nothing is sent to the vendor
    match endpoint.vendor.credential:
        case HeaderKey() as one:
            wrong = [replace(one, header=f"{one.header}X"), replace(one, form=f"X{one.form}")]
        case QueryKey() as one:
            wrong = [replace(one, name=f"{one.name}X")]
        case HeaderKeys() as one:
            wrong = [HeaderKeys({f"{name}X": part for name, part in one.parts.items()})]
        case _:
            wrong = []
    for one in wrong:
        vendor = replace(endpoint.vendor, credential=one)
        yield "credential", str(one), replace(endpoint, vendor=vendor)
