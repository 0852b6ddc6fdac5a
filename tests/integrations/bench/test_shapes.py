"""An answer of another shape is the vendor's failure, or fits the endpoint's schema; no 500."""

import copy
import json
import random

import pytest
from jsonschema_rs import Draft202012Validator

from service.integrations.declare.vendor import Reply
from service.integrations.everything import catalog
from service.web.errors import ServiceError
from tests.depth import depth

TRIES = depth(12)
OTHERS = [None, 5, -1, "x", "", True, [], {}, [None], [[]], {"a": 1}, ["x"], [{"a": None}]]
# What functions of endpoints say when the vendor has nothing of the kind.
NOTHING = 404
# What they say when the vendor's answer excludes what was asked for, by endpoint.
EXCLUDED = {"shortvideo-post-video": 400}


def places(value, path=()):
    """Where something stands in a JSON value, the whole first."""
    yield path
    if isinstance(value, dict):
        inside = list(value.items())
    else:
        inside = list(enumerate(value)) if isinstance(value, list) else []
    for key, one in inside:
        yield from places(one, (*path, key))


def changed(chance, value):
    """With something else, or nothing, at one of its places."""
    path = chance.choice(list(places(value)))
    other = copy.deepcopy(chance.choice(OTHERS))
    if not path:
        return other
    whole = copy.deepcopy(value)
    inside = whole
    for key in path[:-1]:
        inside = inside[key]
    if chance.random() < 0.3:
        del inside[path[-1]]
    else:
        inside[path[-1]] = other
    return whole


@pytest.mark.parametrize("endpoint", list(catalog()), ids=lambda item: item.name)
def test_no_answer_of_a_vendor_is_a_mistake_of_ours(bench, endpoint):
    examples = [one for one in endpoint.examples if endpoint.continues not in one.asks]
    chance, fits = random.Random(endpoint.name), Draft202012Validator(endpoint.gives.schema())
    for number in range(TRIES):
        bench.forget()
        example = examples[number % len(examples)]
        refusals = []

        def mangled(said, refusals=refusals):
            try:
                body = changed(chance, json.loads(said.body))
            except ValueError:  # bytes
                return said
            refusals.append(refusal_of(endpoint.vendor, said, body))
            return type(said)(body, said.status, said.headers)

        bench.serves(
            endpoint, example, lambda said: mangled(said) if chance.random() < 0.7 else said
        )
        asks = {**example.asks, **({"wait": 0} if endpoint.job else {})}
        answer = bench.call(endpoint, asks)
        if endpoint.job and answer.status_code == 200:
            job = answer.json["data"]["jobId"]
            answer = bench.person(endpoint).get(f"/api/integrations/jobs/{job}")
        allowed = (200, 502, NOTHING, EXCLUDED.get(endpoint.name), *refusals)
        assert answer.status_code in allowed, answer.text
        if answer.status_code == 200:
            data = answer.json["data"]
            data = data.get("result") if endpoint.job else data
            assert data is None or fits.is_valid(data) or "requiresOAuth" in data, data
            assert (
                not endpoint.job or data is not None or answer.json["data"]["status"] == "running"
            )


def refusal_of(vendor, said, body):
    try:
        refusal = vendor.refusal(Reply(said.status, said.headers, body))
    except ServiceError as error:
        refusal = error
    return refusal.status if refusal else 502
