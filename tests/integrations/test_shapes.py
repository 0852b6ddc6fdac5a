"""A vendor's answer of another shape is the vendor's failure; a mistake of ours is ours."""

import copy
import random
import re
from dataclasses import replace

import pytest

from service.edge import load
from service.errors import ServiceError
from service.integrations.call import Call
from service.integrations.catalog import Catalog
from service.integrations.everything import catalog
from service.integrations.vendors.github import visibility
from tests.depth import depth
from tests.integrations.bodies import variants
from tests.integrations.scripted import Said
from tests.services import on_sqlite

TRIES = depth(40)
OTHERS = [None, 5, -1, "x", "", True, [], {}, [None], [[]], {"a": 1}, ["x"], [{"a": None}]]
ENDPOINTS = list(catalog())
EVENT = {"title": "a", "start": "2026-11-23T10:00:00Z", "end": "2026-11-23T11:00:00Z"}
BODIES = {
    "calendar-create-events": [{"events": [EVENT]}],
    "cloudsuite/mail-send": [{"to": "a@example.com", "subject": "a", "content": "b"}],
    "mail-reply": [{"messageId": "a", "content": "b", "replyAll": True}],
    "drive-upload": [{"name": "a", "content": "b"}],
}


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


@on_sqlite
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda item: item.name)
def test_no_answer_of_a_vendor_is_a_mistake_of_ours(app, vendor, endpoint):
    chance = random.Random(endpoint.name)
    examples = [(re.sub(r"\{\w+\}", "[^/]+", one.path), one.body) for one in endpoint.examples]

    def answer(asked):
        bodies = [body for path, body in examples if re.search(f"{path}$", asked.path)]
        body = bodies[0] if bodies else {}
        return Said(changed(chance, body) if chance.random() < 0.7 else body)

    vendor.says(answer)
    settings = dict.fromkeys(endpoint.vendor.base_urls, vendor.url)
    if endpoint.vendor.key:
        settings[endpoint.vendor.key.setting] = "key"
    bodies, failed = BODIES.get(endpoint.name) or list(variants(endpoint)), 0
    for number in range(TRIES):
        visibility.seen.clear()
        call = Call(app.extensions["upstream"], endpoint.vendor, settings, 5, "bearer")
        try:
            if endpoint.job and number % 2:
                endpoint.job.poll(call, "run")
            else:
                endpoint.run(call, **load(endpoint.schema, bodies[number % len(bodies)]))
        except ServiceError:
            failed += 1
    assert 0 < failed < TRIES


@on_sqlite
@pytest.mark.parametrize("mistake", [KeyError, TypeError, AttributeError, ValueError, IndexError])
def test_a_mistake_of_ours_is_a_500_with_its_place_in_the_log(
    app, alice, ask, vendor, capsys, mistake
):
    def run(call, **params):
        call.get("/v1/search")
        raise mistake("ours")

    proxy = app.extensions["proxy"]
    proxy.catalog = Catalog(replace(item, run=run) for item in proxy.catalog)
    answer = ask("geocode-city", {"city": "Berlin"})
    assert (answer.status_code, answer.json["error"]) == (500, "internal_error")
    logged = "".join(capsys.readouterr())
    assert "test_shapes.py" in logged
    assert "as documented" not in answer.text


@on_sqlite
def test_the_log_tells_where_another_shape_was_met_and_not_what_it_was(ask, vendor, capsys):
    vendor.says({"results": [{"name": "secret"}]})
    answer = ask("geocode-city", {"city": "Berlin"})
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")
    logged = "".join(capsys.readouterr())
    assert "service.integrations.vendors.open_meteo:" in logged
    assert "secret" not in logged
