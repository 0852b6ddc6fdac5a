"""The documents tell the truth: routes, error codes, chunks, commands, links."""

import re
import typing

from config import ROOT
from service.chat.chunks import Chunk
from service.errors import HTTP_CODES, ServiceError
from tests.services import on_sqlite

API = (ROOT / "docs/api.md").read_text()


def test_every_error_code_is_described():
    def codes(error):
        yield error.code
        for child in error.__subclasses__():
            yield from codes(child)

    table = API.split("## Errors")[1]
    documented = set(re.findall(r"^\| `(\w+)` \| \d{3}", table, re.M))
    assert documented == {*codes(ServiceError), *HTTP_CODES.values()}


@on_sqlite
def test_every_route_is_described(app):
    documented = set(re.findall(r"^\| `([A-Z]+) (/[^`]*)`", API, re.M))
    routes = {
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert documented == routes


def test_every_chunk_is_described():
    types = {chunk.__dataclass_fields__["type"].default for chunk in typing.get_args(Chunk)}
    assert {kind for kind in types if f"`{kind}`" not in API} == set()


@on_sqlite
def test_every_command_is_described(app):
    text = (ROOT / "docs/deployment.md").read_text()
    own = {name: item for name, item in app.cli.commands.items() if name != "db"}
    for name, item in own.items():
        for command in getattr(item, "commands", [""]):
            assert f"`flask --app wsgi {name} {command}".rstrip() in text


def test_every_link_leads_somewhere():
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)[^)]*\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_make_help_names_every_target():
    makefile = (ROOT / "Makefile").read_text()
    helped = set(re.findall(r"^(\w+):.*## ", makefile, re.M))
    phony = set(re.search(r"^\.PHONY: (.*)$", makefile, re.M)[1].split())
    assert helped == phony
