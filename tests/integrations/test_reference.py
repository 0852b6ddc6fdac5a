"""The catalog keeps what is promised: its names, and what people are told of each endpoint."""

import json
from dataclasses import replace

import pytest

from config import ROOT
from service.integrations import everything
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.endpoint import WRITE
from service.integrations.declare.example import example
from service.integrations.declare.fields import (
    Bytes,
    Choice,
    Count,
    Parameters,
    Part,
    Several,
    Words,
)
from service.integrations.declare.file_fields import AddressOrFile
from service.integrations.declare.request import get, post
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Each, Int, Maybe, Raw, Shape
from service.integrations.reference import check, notation, page, specified_names
from service.web.json_schemas import json_schema
from tests.integrations.acme import ENDPOINTS, weights
from tests.services import on_sqlite

SPECIFICATION = """\
| cloudsuite/mail-list | mail read |
### Catalog endpoint names
| Category | Endpoint names |
|---|---|
| Data and markets | anvils-list (by weight; in kg); anvils-judge |
| Sports (path prefixes) | chess/*; racing-* |

Coverage: chess covers leagues, player stats. Racing covers standings, lap times.
### Another section
| Anything | else |
"""


@pytest.fixture
def specification(tmp_path):
    path = tmp_path / "SPEC.md"
    path.write_text(SPECIFICATION)
    return specified_names.promises(path)


def test_a_specification_promises_names_and_families_of_names(specification):
    assert {(one.category, str(one)) for one in specification} == {
        ("Cloud suite", "cloudsuite/mail-list"),
        ("Data and markets", "anvils-list"), ("Data and markets", "anvils-judge"),
        ("Sports", "chess/* (leagues)"), ("Sports", "chess/* (player stats)"),
        ("Sports", "racing-* (standings)"), ("Sports", "racing-* (lap times)"),
    }  # fmt: skip
    names = ["chess/player-stats", "chess/leagues", "racing-driver-standings", "racing-lap-times"]
    assert [specified_names.promise_of(specification, name).category for name in names] == [
        "Sports"
    ] * 4
    assert [str(one) for one in specified_names.missing(specification, names)] == [
        "cloudsuite/mail-list", "anvils-list", "anvils-judge",
    ]  # fmt: skip
    for other in ("anvils", "chess/teams", "racing-results", "basketball/leagues"):
        assert specified_names.promise_of(specification, other) is None


def test_our_list_has_the_names_of_the_specification():
    ours = specified_names.promises(specified_names.LIST)
    assert len({one.name for one in ours}) == len(ours) == 133
    path = ROOT.parent / "shared" / "SPEC.md"
    if not path.exists():
        pytest.skip("the specification is not beside this project")
    theirs = specified_names.promises(path)
    assert specified_names.missing(theirs, [one.name for one in ours]) == []
    for one in ours:
        assert specified_names.promise_of(theirs, one.name).category == one.category


class Inner(Parameters):
    deep = Words()


class Bare(Parameters):
    inner = Part(Inner, "An object.", to="json.inner")


class Kind(Parameters):
    material = Words("What they are made of.", to="query.kind", required=True)


class Odd(Int):
    named = "whole"


@pytest.mark.parametrize(
    ("facts", "fault"),
    [
        ({"docs": "http://acme.example/docs"}, "its documentation is no https address"),
        ({"docs": "#list"}, "its documentation is no https address"),
        ({"access": WRITE, "credits": None}, "has no price, not even 0, in its `credits`"),
        ({"takes": Bare}, "inner.deep: has no description"),
        ({"takes": Bare}, "example 0: {'material': ['Unknown field.']"),
        ({"gives": Shape(odd=Odd("odd"))}, "the schema of its answer is not"),
        ({"says": Says("In {city}", "In {material}")}, "says.doing: city is no string or integer"),
        ({"says": Says("In", "In {material:kind}")}, "says.done: material is no array there"),
        ({"says": Says("In", "In {anvils.0.weight.kg}")}, "says.done: anvils.0.weight.kg is no"),
        ({"says": Says("In", "In {anvils}")}, "says.done: anvils is no string"),
        ({"says": Says("In", "In {anvils: Two}")}, "says.done: a place is not closed"),
        ({"says": Says("In…", "In")}, "says.doing: ends with a mark"),
        ({"asks": get("/anvil")}, "example 0: the request is GET /anvil?m=iron&page_size=10, "),
        ({"asks": post("/anvils")}, "example 0: the request is POST /anvils?m=iron"),
        ({"takes": Kind}, "example 0: the request is GET /anvils?kind=iron, not GET /anvils?m="),
        (
            {"gives": Shape(anvils=Each("anvil", Shape(id="id")))},
            "example 0: `gives` can't read its answer",
        ),
        (
            {"examples": (example({"material": "iron"}, "GET /anvils", b"<p>"),)},
            "example 0: `gives` can't read its answer",
        ),
    ],
)
def test_the_check_says_what_an_endpoint_lacks(facts, fault):
    assert list(check.endpoint_faults(weights)) == []
    found = list(check.endpoint_faults(replace(weights, **facts)))
    assert [one for one in found if one.startswith(fault)], found


def test_missing_and_unknown_names_wrong_categories_and_prices_of_nobody_are_said(
    specification, monkeypatch
):
    monkeypatch.setattr(check, "CALLS", {"anvils-forge": 1})
    moved = replace(weights, category="sports", aliases=("anvils-all",))
    own = replace(weights, name="anvils-own")  # an extension's
    assert list(check.catalog_faults(Catalog([moved, own]), specification[1:3], [moved])) == [
        "anvils-judge: no endpoint has this name",
        "anvils-list: belongs to the category 'Data and markets'",
        "anvils-list: nobody has promised the name anvils-all",
        "anvils-forge: has a price, and is no endpoint",
    ]


def test_sentences_have_places_in_parameters_and_answers():
    told = Says(
        "Weighing {material}", "{anvils:anvil} of {material}, the first {anvils.0.weight} kg"
    )
    assert list(check.endpoint_faults(replace(weights, says=told))) == []
    assert sum(item.says is not None for item in everything.catalog()) > 20


@on_sqlite
def test_the_catalog_lacks_nothing_of_what_is_promised(app):
    result = app.test_cli_runner().invoke(args=["catalog", "check"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("133 names of 129 endpoints, ")
    assert "compared with names.json" in result.output


@on_sqlite
@pytest.mark.settings(extensions="tests.integrations.acme")
def test_the_command_names_the_endpoints_of_extensions(app, tmp_path):
    result = app.test_cli_runner().invoke(args=["catalog", "check"])
    assert "anvils-list: of an extension" in result.output
    assert result.output.splitlines()[-1].startswith(f"{len(everything.catalog().names) + 2} names")
    (tmp_path / "names.json").write_text(json.dumps({"Sports": ["curling/teams"]}))
    args = ["catalog", "check", "--spec", str(tmp_path / "names.json")]
    result = app.test_cli_runner().invoke(args=args)
    assert result.exit_code == 1
    assert "curling/teams: no endpoint has this name" in result.output


class Rich(Parameters):
    sort = Choice("up", "down", about="The order.", default="up")
    image = Bytes("A picture.", most=10)
    photo = AddressOrFile("A photo.", most=10, longest_address=99, check=print)
    name = Words("A name.", most=20, required=True)
    parts = Several(Part(Inner), "Parts.", least=1, most=5)
    numbers = Several(Count(least=0, most=9), "Numbers.", most=2)


def test_parameters_are_told_with_types_bounds_and_defaults():
    assert list(notation.rows(json_schema(Rich()))) == [
        ("`name`", "string (1 to 20)", "required", "A name."),
        ("`sort`", "`up`, `down`", '`"up"`', "The order."),
        ("`image`", "bytes in base64", "", "A picture."),
        ("`photo`", "address, or bytes in base64", "", "A photo."),
        ("`parts`", "list (1 to 5) of object", "", "Parts."),
        ("`parts[].deep`", "string", "", ""),
        ("`numbers`", "list (at most 2) of integer (0 to 9)", "", "Numbers."),
    ]


def test_an_answer_is_told_as_a_type():
    answer = Shape(
        total=Int("total", about="Of all pages."),
        anvils=Each("anvils", Shape(id="id", maker=Maybe("by"), notes=Each("n", Maybe(Int(""))))),
        place=Maybe(Shape(city="city")), any=Raw("any"),
    )  # fmt: skip
    assert notation.type_of(answer.schema()).splitlines() == [
        "{",
        "  total: integer  // Of all pages.",
        "  anvils: { id: string, maker: string | null, notes: (integer | null)[] }[]",
        "  place: { city: string } | null",
        "  any: unknown",
        "}",
    ]


def test_the_page_has_a_section_for_each_endpoint_with_what_it_takes_and_answers():
    text = "".join(page.page(Catalog([*everything.endpoints(), *ENDPOINTS])))
    section = text.partition("### `anvils-judge`\n")[2].partition("\n### ")[0]
    for told in (
        "A question about an anvil", "(https://acme.example/docs#report)", "(metered)", "asks",
        "`POST` ·", "needs `ACME_API_KEY`", "| `question` | string (1 to 1000) | required | What",
        'Example: `{"anvil": "a-1"', "verdict: string",
    ):  # fmt: skip
        assert told in section, section
    assert text.count("\n### `") == len(everything.endpoints()) + 2
    assert "[`anvils-list`](#anvils-list) | Anvils of a material" in text


def test_the_page_names_the_model_whose_key_an_endpoint_needs():
    names = everything.catalog().names
    assert "asks the model `llm-haiku-4-5`" in page.section(names["scholar-summarize-papers"])
    assert "asks the model" not in page.section(names["news-search"])
