"""A declaration that can't work is refused where it is made, and shapes read what is there."""

import re
from dataclasses import replace
from typing import Any, get_args

import pytest
from marshmallow.fields import String

from config import ROOT, ConfigError, with_declared
from service.integrations.calling.model_calls import cut
from service.integrations.consent.scopes import Scopes
from service.integrations.declare.cache import Cache
from service.integrations.declare.categories import CATEGORIES, Category
from service.integrations.declare.endpoint import FREE_READ, WRITE, Access, Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Choice, Count, Parameters, Part, Words
from service.integrations.declare.limit import Limit
from service.integrations.declare.meter import Meter
from service.integrations.declare.model_use import ModelUse
from service.integrations.declare.oauth2 import Revocation, Userinfo
from service.integrations.declare.reading import Unusable
from service.integrations.declare.request import get
from service.integrations.declare.setting import Setting, address, base_url
from service.integrations.declare.shape import Bool, Each, Int, Made, Maybe, Num, Raw, Shape, Within
from service.integrations.declare.task import Job, Task
from service.integrations.everything import catalog
from service.integrations.vendors.tiktok import TIKTOK
from service.providers.tokens import bound
from tests.integrations.acme import judge, weights
from tests.services import settings_for

KEPT = Cache(seconds=60, shared=True)
JOB = Job(task=lambda answer: Task("7"), poll=get("/tasks/{id}"), wait=0, limit=60)
OURS = replace(weights.vendor, bases=())
SITE = base_url("ACME_BASE_URL", "https://{site}.example")
SUBDOMAINS = replace(weights.vendor, bases=(SITE,))


class Named(Parameters):
    name = Words("A name.", to="path.name", required=True)


class Optional(Parameters):
    name = Words("A name.", to="path.name")


class Hosted(Parameters):
    name = Words("A name.", to="base.name", required=True)


class Undescribed(Parameters):
    name = Words(to="query.name")


class Astray(Parameters):
    name = Words("A name.")


class Misplaced(Parameters):
    name = Words("A name.", to="body.name")


class Foreign(Parameters):
    name = String()


class Nesting(Parameters):
    part = Part(Foreign, "A part.", to="json.part")


class Beyond(Parameters):
    name = Words("A name.", most=3, default="four", to="query.name")


def alone(call, *, material="", most=0):
    return {"anvils": []}


async def asynchronous(call, *, material="", most=0):
    return {"anvils": []}


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"takes": Named, "asks": get("/{nome}")}, "nothing fills 'name'.*nothing fills 'nome'"),
        ({"takes": Optional, "asks": get("/{name}")}, "a piece of the path may be missing"),
        ({"takes": Hosted}, "base: nothing fills 'name'"),
        ({"vendor": SUBDOMAINS}, "base: nothing fills 'site'"),
        ({"vendor": OURS}, "its vendor has no base URL to ask"),
        (
            {"vendor": OURS, "asks": None, "run": lambda call: Task("7"), "job": JOB},
            "its vendor has no base URL to ask",
        ),
        ({"takes": Undescribed}, "name: has no description"),
        ({"takes": Astray}, "name: goes nowhere"),
        ({"takes": Misplaced}, "no target 'body.name'"),
        ({"asks": None}, "neither a request nor a function"),
        ({"examples": ()}, "has no example"),
        ({"summary": "Anvils"}, "its summary is no sentence"),
        ({"gives": {"id": "id"}}, "its `gives` must be a Shape"),
        ({"vendor": "acme"}, "its `vendor` must be a Vendor"),
        ({"takes": Named()}, "its `takes` must be a class of Parameters"),
        ({"takes": None}, "its `takes` must be a class of Parameters"),
        ({"access": "write"}, "its `access` must be an Access, such as FREE_READ"),
        ({"examples": weights.examples[0]}, "its `examples` must be a tuple of Example"),
        ({"aliases": "anvils"}, "its `aliases` must be a tuple of str"),
        ({"accepted": "anvils.write"}, "its `accepted` must be a tuple of str"),
        ({"narrow": ("anvils.own", None)}, "its `narrow` must be a tuple of str"),
        ({"alternatives": OURS}, "its `alternatives` must be a tuple of Vendor"),
        ({"needs": SITE}, "its `needs` must be a tuple of Setting"),
        ({"run": asynchronous}, "its function must be a plain one"),
        ({"credits": -1}, "its `credits` must be a number from 0"),
        ({"credits": "2"}, "its `credits` must be a number"),
        ({"category": "books"}, "its `category` must be one of 'ai', 'search', "),
        ({"asks": "/anvils"}, r"its `asks` must be a Template, such as get\(\"/path\"\)"),
        ({"says": ("Weighing", "Weighed")}, "its `says` must be a Says"),
        ({"model": "llm-haiku-4-5"}, "its `model` must be a ModelUse"),
        ({"meter": lambda params: 1}, "its `meter` must be a Meter"),
        ({"allows": lambda params: None}, "its `allows` must be a function of 2 arguments"),
        ({"before": lambda call: None}, "its `before` must be a function of 2 arguments"),
        ({"body_limit": "1 MiB"}, "its `body_limit` must be a whole number"),
        ({"seconds": 0}, "its `seconds` and its `body_limit` must be more than 0"),
        ({"run": alone}, "its function must take `call` and `request`, and the parameters after"),
        ({"takes": Foreign}, "name: must be a field of declare/fields.py, such as Words"),
        ({"takes": Nesting}, "part.name: must be a field of declare/fields.py"),
        ({"takes": Beyond}, "name: its default is refused: Length must be between 1 and 3"),
        ({"credits": 1.0}, "never asks its user, and costs"),
        ({"meter": Meter(lambda values: 1, lambda data: None)}, "never asks its user, and costs"),
        ({"access": Access(auto_approve=True)}, "never asks its user, and writes"),
        ({"scope": "anvils.read"}, "has a scope without OAuth"),
        ({"job": replace(JOB, poll=get("/tasks"))}, "a request of its job has no place"),
        ({"job": replace(JOB, cancel=get("/{a}"))}, "a request of its job has no place"),
        ({"cache": Cache(seconds=0, shared=True)}, "its cache must last more than 0"),
        ({"cache": KEPT, "access": WRITE}, "has a cache, and writes"),
        ({"cache": KEPT, "job": JOB}, "has a cache, and is a job"),
        ({"cache": KEPT, "scope": "anvils.read"}, "has a shared cache"),
        ({"cache": KEPT, "makes": 1}, "has a cache, and makes media"),
        ({"per_user": Limit(calls=0, seconds=60)}, "its limit must allow at least one call"),
        ({"per_user": Limit(calls=1, seconds=86401)}, "window of its limit must have 1 to 86400"),
    ],
)
def test_what_cannot_work_is_refused_with_its_reason(facts, why):
    with pytest.raises(ValueError, match=f"anvils-list: .*{why}"):
        replace(weights, **facts)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: get("anvils"), "the path 'anvils' must begin with '/'"),
        (lambda: get("/anvils?m=iron"), "'/anvils.m=iron' .* its query belongs in `query`"),
        (lambda: Words("A name.", pattern="[a-"), r"the pattern '\[a-' can't be read: untermi"),
        (lambda: Words("A name.", most="200"), "nothing is from `least` 1 to `most` '200'"),
        (lambda: Count("How many.", least=5, most=2), "nothing is from `least` 5 to `most` 2"),
        (lambda: Choice(["m", "ft"], about="Its unit."), "a Choice takes texts, such as Choice"),
        (lambda: Choice(about="Its unit."), r"a Choice takes texts, .* not \(\)"),
        (lambda: Choice("m", about="Its unit.", theirs="metre"), "`theirs` must be a function or"),
        (lambda: Setting("acme key", "its key"), "setting 'acme key': its name may have only cap"),
        (lambda: Example({}, Exchange("GET /", {})), "Example: its `exchanges` must be a tuple of"),
        (lambda: Meter(0.1, 0.2), "Meter: its `most` must be a function of 1 argument; its `used`"),
        (lambda: replace(JOB, task="7"), "Job: its `task` must be a function of 1 argument"),
        (lambda: Task("7", "queued"), "Task: its `state` must be one of 'running', 'done', "),
        (lambda: Task(7), "Task: its `id` must be a text"),
        (lambda: replace(JOB, interval=0), "`limit` and `interval` more than 0"),
        (lambda: replace(JOB, wait=61), "Job: its `wait` must be 0 to 60"),
        (lambda: address("ACME_URL", "acme.example"), "setting ACME_URL: its default must be an"),
        (
            lambda: replace(TIKTOK.oauth, flags={"connected": ("video.publish",)}),
            "flag connected: the status has a field of this name",
        ),
        (lambda: Limit(calls="30", seconds=60), "Limit: its `calls` must be a whole number"),
        (lambda: replace(weights.vendor, credential="k"), "its `credential` must be a Credential"),
    ],
)  # fmt: skip
def test_a_part_of_a_declaration_that_cannot_work_is_refused(make, why):
    with pytest.raises(ValueError, match=why):
        make()


@pytest.mark.parametrize(
    "name", ["", "my anvils", "/anvils", "anvils/", "anvils?m", "a/../b", "_a", ".", "ä"]
)
def test_a_name_that_no_address_can_have_is_refused(name):
    with pytest.raises(
        ValueError, match="its name must be ASCII letters, digits, '-', '_' and '.'"
    ):
        catalog((weights.vendor,), (replace(weights, name=name),))
    vendor = replace(weights.vendor, integration=name)
    with pytest.raises(ValueError, match="vendor 'acme': its `integration` must be ASCII"):
        catalog((vendor,), (replace(weights, vendor=vendor),))


def test_a_setting_of_the_service_is_no_vendors():
    vendor = replace(weights.vendor, bases=(base_url("PUBLIC_URL", "https://acme.example"),))
    every = catalog((vendor,), (replace(weights, vendor=vendor),))
    with pytest.raises(ConfigError, match="a vendor declares PUBLIC_URL, a setting of the service"):
        with_declared(settings_for("sqlite:///unused"), every.settings)


def test_a_model_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="no model is named 'gen-9'"):
        ModelUse("gen-9", prompt_tokens=1000, output_tokens=200)


def test_a_default_base_url_is_read_as_the_operators_value_would_be():
    assert (
        base_url("ACME_BASE_URL", "https://acme.example/v2/").default == "https://acme.example/v2"
    )
    with pytest.raises(ValueError, match="setting ACME_BASE_URL: its default must be an http or"):
        base_url("ACME_BASE_URL", "acme.example/v2")


@pytest.mark.parametrize(
    "field", [int, Int, 5, Maybe(Int), Int(Maybe("id")), Each("anvils", {"id": "id"})], ids=repr
)
def test_a_field_that_nothing_reads_is_refused(field):
    with pytest.raises(ValueError, match="a field must be a path, or a reader such as Int"):
        replace(weights, gives=Shape(id=field))


def test_a_flag_with_one_scope_is_refused_without_its_comma():
    with pytest.raises(ValueError, match=r"flag publish: must be a tuple.*\('video.publish',\)"):
        replace(TIKTOK.oauth, flags={"publish": ("video.publish")})


@pytest.mark.parametrize("name", ["bases", "settings"])
def test_a_vendor_with_one_setting_is_refused_without_its_comma(name):
    with pytest.raises(ValueError, match=f"vendor acme: its `{name}` must be a tuple of Setting"):
        replace(weights.vendor, **{name: SITE})


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"identity": "openid"}, "OAuth2: its `identity` must be a tuple of str"),
        ({"userinfo": Userinfo(url=SITE, account="sub")}, "Userinfo: its `account` must be a tu"),
        ({"revocation": Revocation(url=SITE, statuses=200)}, "Revocation: its `statuses` must be"),
    ],
)
def test_a_text_or_number_where_oauth_takes_a_tuple_is_refused(facts, why):
    with pytest.raises(ValueError, match=why):
        replace(TIKTOK.oauth, **facts)


def test_a_function_takes_the_parameters_that_are_declared():
    def misspelt(call, request, *, qestion):
        """The name of no parameter."""

    def strict(call, request, *, name):
        """Wants a parameter that may be missing."""

    with pytest.raises(ValueError, match="qestion: the function takes no such.*question: goes now"):
        replace(judge, run=misspelt)
    with pytest.raises(ValueError, match="name: may be missing, and the function has no default"):
        replace(weights, takes=Astray, run=strict)


def test_an_endpoint_is_free_to_read_by_one_word():
    assert isinstance(weights, Endpoint)
    assert (weights.access, weights.repeatable, weights.price) == (FREE_READ, True, 0)


def test_every_category_has_a_name_and_every_endpoint_a_category():
    assert tuple(CATEGORIES) == get_args(Category)
    assert {item.category for item in catalog()} <= set(CATEGORIES)
    assert len(set(CATEGORIES.values())) == 10


ITEM = {
    "id": 7, "name": "x", "ratio": 0.5, "done": True, "in": {"a": {"b": "deep"}},
    "list": [{"n": 1}, {"n": 2, "skip": True}], "empty": None, "any": {"k": [1]},
}  # fmt: skip
SHAPE = Shape(
    id=Int("id"), name="name", ratio=Num("ratio"), done=Bool("done"), deep="in.a.b",
    second=Int("list.1.n"), numbers=Each("list", Int("n"), lambda one: "skip" not in one),
    nothing=Maybe("empty"), absent=Maybe(Int("absent")), none=Each("absent", default=()),
    null=Each("absent", default=None), any=Raw("any"), inner=Within("in", Shape(deep="a.b")),
    made=Made(Int(""), lambda item, values: item["id"] * values["times"]),
)  # fmt: skip


def test_a_shape_reads_its_fields():
    assert SHAPE.read(ITEM, {"times": 2}) == {
        "id": 7, "name": "x", "ratio": 0.5, "done": True, "deep": "deep", "second": 2,
        "numbers": [1], "nothing": None, "absent": None, "none": [], "null": None,
        "any": {"k": [1]}, "inner": {"deep": "deep"}, "made": 14,
    }  # fmt: skip


@pytest.mark.parametrize("item", [one for one in catalog() if one.scope], ids=lambda one: one.name)
def test_a_consent_sets_a_flag_by_which_its_endpoint_is_known_to_work(item):
    """A turn behind a gateway waits for it: of the connection it sees only the flags."""
    scopes = Scopes(item.vendor.oauth, {})
    lit = {flag for flag, is_set in scopes.flags(scopes.required_scopes(item)).items() if is_set}
    assert lit.intersection(scopes.flags_of(item))
    assert scopes.flag_of(item) in lit


@pytest.mark.parametrize("tokens", [-3, 0, 1, 100])
@pytest.mark.parametrize(
    "text",
    [
        "word " * 500, "{[(" * 500, "é漢😀" * 500 + "word " * 500, "word " * 500 + "é漢😀" * 500,
        "short",
    ],
)  # fmt: skip
def test_a_model_gets_no_more_than_the_declared_prompt(text, tokens):
    part = cut(text, tokens)
    assert text.startswith(part)
    assert bound(part) <= max(tokens, 0)
    assert part == text or bound(part) > tokens * 0.9 - 1, "and hardly less"


def test_an_optional_field_of_another_kind_is_null_and_a_required_one_is_unusable():
    assert Shape(a=Maybe(Int("a")), b="b").read({"a": "7", "b": "x"}) == {"a": None, "b": "x"}
    for wrong in ({"b": 5}, {"b": None}, {}, [], "text", None):
        with pytest.raises(Unusable):
            Shape(a=Maybe("a"), b="b").read(wrong)


@pytest.mark.parametrize(
    ("kind", "value"),
    [(Int("a"), True), (Num("a"), False), (Int("a"), 1.5), (Bool("a"), 1), (Raw("a"), None)],
)
def test_kinds_are_not_mixed(kind, value):
    with pytest.raises(Unusable):
        Shape(a=kind).read({"a": value})


def test_the_schema_of_a_shape_says_what_may_be_null():
    properties = SHAPE.schema()["properties"]
    assert SHAPE.schema()["required"] == list(properties)
    assert properties["absent"] == {"type": ["integer", "null"]}
    assert properties["null"]["type"] == ["array", "null"]
    assert properties["numbers"] == {"type": "array", "items": {"type": "integer"}}
    assert properties["any"] == {}


def test_the_documented_vendor_can_be_declared():
    page = (ROOT / "docs/vendors.md").read_text()
    code, *_ = re.findall(r"```python\n(.*?)```", page, re.S)
    names: dict[str, Any] = {}
    exec(code, names)  # the page's own example
    every = catalog(names["VENDORS"], names["ENDPOINTS"])
    item = every.named("anvils-list")
    params = item.parameters.load({"material": "iron"})
    request = item.asks.fill(item.parameters, params)
    assert (request.path, request.query) == ("/anvils", {"m": "iron", "page_size": 10})
