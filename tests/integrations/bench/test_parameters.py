"""Every parameter of every endpoint: what its published schema says is what holds."""

import pytest
from marshmallow.validate import Regexp

from service.integrations.calling.admission import validate_parameters
from service.integrations.declare.fields import Bytes
from service.integrations.declare.matching import Bounded
from service.integrations.everything import catalog
from service.web.errors import InvalidRequest
from service.web.json_schemas import json_schema
from tests.integrations.bench import values
from tests.integrations.bench.checks import request_faults

ENDPOINTS = list(catalog())
# Values that depend on more than the schema says, by endpoint and parameter.
BY_OTHER_RULES: set[tuple[str, str]] = set()

each = pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda item: item.name)


def schema_of(endpoint, name):
    """The published schema; what it can't say is added as a format."""
    schema, field = json_schema(endpoint.parameters)["properties"][name], field_of(endpoint, name)
    inner = getattr(field, "inner", None)
    if isinstance(field, Bytes):
        return {**schema, "contentEncoding": "base64"}
    if inner and has_checks(inner):
        return {**schema, "items": {**schema["items"], "format": "checked"}}
    return {**schema, "format": "checked"} if has_checks(field) else schema


def has_checks(field):
    """Whether functions of the vendor's module, or of a kind of field, look at a text."""
    then = [check for one in field.validators if isinstance(one, Bounded) for check in one._then]
    return any(not isinstance(check, Regexp) for check in then)


def field_of(endpoint, name):
    return endpoint.parameters.fields[name]


def bodies(endpoint, name):
    """The examples' parameters, first those that have this one."""
    all_of_them = [dict(example.asks) for example in endpoint.examples]
    return sorted(all_of_them, key=lambda body: name not in body)


def sample(endpoint, name):
    return bodies(endpoint, name)[0].get(name)


@each
def test_what_a_schema_refuses_is_refused_by_name(bench, endpoint):
    """A whole call costs ten times as much as the parameters' own rules, so one has them all."""
    wrong = {}
    for name in endpoint.parameters.fields:
        for value in values.refused(schema_of(endpoint, name), sample(endpoint, name)):
            body = {**bodies(endpoint, name)[0], name: value}
            if is_refused_by_validation(endpoint, body, name):
                wrong.setdefault(name, value)
            else:
                assert_refused(bench, endpoint, body, name)
    assert_refused(bench, endpoint, wrong, *wrong)


def assert_refused(bench, endpoint, body, *names):
    answer = bench.call(endpoint, body)
    shown = endpoint.name, str(body)[:500], answer.text
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_request"), shown
    assert set(names) <= answer.json["details"].keys(), shown
    assert bench.vendor.seen == [], shown


def is_refused_by_validation(endpoint, body, name):
    """Whether the parameters' own rules refuse the body, which the proxy asks before it sends."""
    try:
        validate_parameters(endpoint, body)
    except InvalidRequest as refusal:
        return name in refusal.facts["details"]
    return False


@each
def test_what_a_schema_takes_is_taken_and_sent_as_the_vendor_describes(bench, endpoint):
    """The first values of all parameters of an example are sent in one call, then the second ones,
    and so on. A call that is refused says nothing of each value: they are then sent one by one."""
    accepted = {
        name: list(values.accepted(schema_of(endpoint, name), sample(endpoint, name)))
        for name in endpoint.parameters.fields
        if name != endpoint.continues and (endpoint.name, name) not in BY_OTHER_RULES
    }
    for number in range(max(map(len, accepted.values()), default=0)):
        left = {name: given[number] for name, given in accepted.items() if number < len(given)}
        for body in (dict(example.asks) for example in endpoint.examples):
            some = {name: value for name, value in left.items() if name in body}
            if some and answer_to(bench, endpoint, {**body, **some}).status_code == 200:
                assert is_sent_well(bench, endpoint), some
                left = {name: value for name, value in left.items() if name not in some}
        for name, value in left.items():
            is_taken = (takes(bench, endpoint, body, name, value) for body in tried(endpoint, name))
            assert any(is_taken), (name, str(value)[:100])
            assert is_sent_well(bench, endpoint), (name, str(value)[:100])


def is_sent_well(bench, endpoint):
    return not any(list(request_faults(bench, endpoint, asked)) for asked in bench.vendor.seen)


def tried(endpoint, name):
    """Bodies that the parameter may stand in: it may exclude another, need it, or limit it."""
    yield from bodies(endpoint, name)
    whole = {}
    for body in bodies(endpoint, name):
        whole |= body
    yield whole
    required = json_schema(endpoint.parameters).get("required", ())
    least = {name: whole[name] for name in required}
    yield {name: it[:1] if isinstance(it, list) else it for name, it in least.items()}


def answer_to(bench, endpoint, body):
    bench.forget()
    bench.serves(endpoint, endpoint.examples[0])
    return bench.call(endpoint, {**body, **({"wait": 0} if endpoint.job else {})})


def takes(bench, endpoint, body, name, value):
    answer = answer_to(bench, endpoint, {**body, name: value})
    assert answer.status_code != 500, (name, value, answer.text)
    return answer.status_code != 400 or name not in answer.json["details"]


def test_an_unknown_parameter_is_refused_before_anything_is_sent(bench):
    for endpoint in ENDPOINTS:
        assert_refused(bench, endpoint, {**endpoint.examples[0].asks, "noSuchKey": 1}, "noSuchKey")


def test_each_required_parameter_must_be_there(bench):
    for endpoint in ENDPOINTS:
        for name in json_schema(endpoint.parameters).get("required", ()):
            body = {key: value for key, value in endpoint.examples[0].asks.items() if key != name}
            assert_refused(bench, endpoint, body, name)


@pytest.mark.parametrize("wait", [-1, 61, "x", None, True])
def test_a_job_is_waited_for_at_most_a_minute(bench, wait):
    for endpoint in (item for item in ENDPOINTS if item.job):
        answer = bench.call(endpoint, {**endpoint.examples[0].asks, "wait": wait})
        assert (answer.status_code, list(answer.json["details"])) == (400, ["wait"]), endpoint.name
        assert bench.vendor.seen == [], endpoint.name
