"""The documents agree with the code: routes, error codes, chunks, commands, citations, links."""

import re
import typing
from collections.abc import Iterator
from pathlib import Path

from config import ROOT
from service.chat.stream.chunks import Chunk
from service.integrations import everything
from service.integrations.reference.page import page as page_of_endpoints
from service.integrations.reference.typings import declarations
from service.web.error_answers import HTTP_CODES
from service.web.errors import ServiceError
from tests.services import on_sqlite

API = (ROOT / "docs/api.md").read_text()
CONTRACT = (ROOT / "docs/contract.md").read_text()
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
# What docs/extending.md has its reader write.
READERS_OWN = ("app/bookshelf.py", "app/test_bookshelf.py")
OPEN_ROOMS = ("chat", "integrations")
LISTED_ROOMS = (
    "service/chat/turn",
    "service/database",
    "service/integrations/calling",
    "service/observing",
    "service/outbound",
    "service/records",
    "service/web",
    "serving",
)
CODE = [
    path
    for room in ("service", "serving")
    for path in sorted((ROOT / room).rglob("*"))
    if path.suffix in (".py", ".js")
]


def test_every_error_code_is_described():
    def codes(error):
        yield error.code
        for child in error.__subclasses__():
            yield from codes(child)

    table = API.split("## Errors")[1]
    documented = set(re.findall(r"^\| `(\w+)` \| \d{3}", table, re.M))
    assert documented == {*codes(ServiceError), *HTTP_CODES.values()}


def test_every_status_of_an_error_is_described():
    def kinds(error):
        yield error.code, error.status
        for child in error.__subclasses__():
            yield from kinds(child)

    rows = re.findall(r"^\| `(\w+)` \| ([\d, ]+) \|", API.split("## Errors")[1], re.M)
    documented = {(code, int(one)) for code, listed in rows for one in listed.split(", ")}
    assert set(kinds(ServiceError)) - documented == set()


@on_sqlite
def test_the_collections_that_limited_tokens_read_are_described(app):
    [paragraph] = re.findall(r"^- \*\*`chat`\*\* opens.*?(?=^- )", API, re.M | re.S)
    readable = {one.name for one in app.extensions["collections"] if "chat" in one.open_to}
    assert {name for name in readable if f"`{name}`" not in paragraph} == set()


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
    assert len(types) > 10
    assert {kind for kind in types if f"`{kind}`" not in API} == set()


@on_sqlite
def test_every_command_is_described(app):
    text = (ROOT / "docs/deployment.md").read_text()
    own = {name: item for name, item in app.cli.commands.items() if name != "db"}
    for name, item in own.items():
        for command in getattr(item, "commands", [""]):
            assert f"`flask --app wsgi {name} {command}".rstrip() in text


def test_every_described_event_exists():
    text = (ROOT / "docs/deployment.md").read_text().split("## Monitoring")[1]
    rows = re.findall(r"^\| (`.*?`) \| ", text.replace("| `event` |", ""), re.M)
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    code = "".join(path.read_text() for path in [*CODE, ROOT / "gunicorn.conf.py"])
    assert len(named) > 20
    assert {name for name in named if f'"{name}"' not in code} == set()


def test_every_outcome_of_an_upstream_call_is_described():
    code = "".join(path.read_text() for path in (ROOT / "service/outbound").glob("*.py"))
    row = (ROOT / "docs/operations.md").read_text().split("| `upstream_calls_total` |")[1]
    outcomes = {"failed", *re.findall(r'UpstreamError\("([a-z-]+)"', code)}
    assert len(outcomes) > 6
    assert {one for one in outcomes if f"`{one}`" not in row.split("\n")[0]} == set()


def test_every_event_that_is_an_error_is_described():
    text = (ROOT / "docs/deployment.md").read_text().split("## Monitoring")[1]
    code = [path for path in [*CODE, ROOT / "gunicorn.conf.py"] if "sandbox" not in path.parts]
    logged = r'\blog\.(?:error|exception|critical)\(\s*"([^"]+)"'
    named = {name for path in code for name in re.findall(logged, path.read_text())}
    assert len(named) > 10
    assert {name for name in named if f"`{name}`" not in text} == set()


def test_the_page_of_the_console_has_its_views_and_its_keys():
    page = (ROOT / "docs/console.md").read_text()
    views = (ROOT / "service/browser/console/views.js").read_text()
    labels = set(re.findall(r"name: '\w+',.*?label: '(\w+)'", views))
    assert {f"**{label}**" for label in labels} == set(
        re.findall(r"^\| (\*\*\w+\*\*) \|", page.split("\n## A conversation")[0], re.M)
    )
    script = (ROOT / "service/browser/console/shortcuts.js").read_text().split("SHORTCUTS")[1]
    printed = re.findall(r"^\| [a-z ]*\| ([^|]+) \| ([^|]+) \|$", page.split("## Keys")[1], re.M)
    shown = [(what, keys.split(", ")) for what, keys in printed if what != "what"]
    listed = re.findall(r"\['([^']+)', \[(['`][^\]]+)\]\]", script.split("\n];")[0])
    assert shown == [
        (what, re.findall(r"['`]([^'`]+)", keys.replace("${CONTROL}", "Ctrl"))[::2])
        for what, keys in listed
    ]


def test_every_decision_has_the_form_of_the_others():
    """A title under its number, then the decision; where there are several, each in a section."""
    for page in sorted(ROOT.glob("docs/decisions/*.md")):
        title, text = page.read_text().split("\n", 1)
        assert re.match(rf"# {page.name[:4]} \w", title), page.name
        sections = re.split(r"^## .+\n", text, flags=re.M)[1:] or [text]
        assert {one[:15] for one in sections} == {"\n**Decision.** "}, page.name


def test_every_picture_is_shown_by_a_page():
    text = "".join(page.read_text() for page in PAGES)
    assert [path.name for path in ROOT.glob("docs/*.png") if f"{path.name})" not in text] == []


def test_every_link_leads_somewhere():
    for page in PAGES:
        for target, anchor in re.findall(r"\]\((?!http)([^)#]*)#?([^)]*)\)", page.read_text()):
            linked = page.parent / target if target else page
            assert linked.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in anchors(linked), f"{page.name}: {anchor}"


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives a page's headings."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_room_is_in_the_architecture():
    """With the folders of chat and integrations, which show the way of a turn and of a call."""
    text = (ROOT / "docs/architecture.md").read_text()
    rooms = {path.parent.relative_to(ROOT / "service") for path in CODE if "service" in path.parts}
    shown = {path for path in rooms if len(path.parts) == 1 or path.parent.name in OPEN_ROOMS}
    assert {str(path) for path in shown if f"`{path}/`" not in text} == set()


def test_each_module_of_a_listed_room_is_in_the_architecture():
    text = (ROOT / "docs/architecture.md").read_text()
    for room in LISTED_ROOMS:
        names = {path.name for path in (ROOT / room).glob("[a-z]*.py")}
        assert {name for name in names if not re.search(rf"(?<!\w){name}", text)} == set(), room


def test_every_module_that_a_page_names_exists():
    modules = [f"/{path.relative_to(ROOT)}" for path in ROOT.rglob("*.py")]
    modules += [f"/{name}" for name in READERS_OWN]
    for page in PAGES:
        for name in re.findall(r"[\w/.]+\.py\b", page.read_text()):
            assert any(path.endswith(f"/{name}") for path in modules), f"{page.name}: {name}"


def test_every_folder_in_the_architecture_exists():
    text = (ROOT / "docs/architecture.md").read_text()
    for name in re.findall(r"`([a-z_]+(?:/[a-z_]+)*)/`", text):
        assert (ROOT / name).is_dir() or (ROOT / "service" / name).is_dir(), name


def test_make_help_names_every_target():
    makefile = (ROOT / "Makefile").read_text()
    helped = set(re.findall(r"^(\w+):.*## ", makefile, re.M))
    phony = set(re.search(r"^\.PHONY: (.*)$", makefile, re.M)[1].split())
    assert helped == phony


def test_every_citation_of_the_contract_leads_somewhere():
    headings = re.findall(r"^##+ ([\d.]*\d)\.? (.+)$", CONTRACT, re.M)
    statements = re.findall(r"^- \*\*([\d.]+)\*\* ", CONTRACT, re.M)
    places = {*statements, *(text for heading in headings for text in heading)}
    cited = {(path.name, place) for path in CODE for place in places_cited_by(path.read_text())}
    assert len(cited) > 30
    assert {citation for citation in cited if citation[1] not in places} == set()


def places_cited_by(source: str) -> Iterator[str]:
    """Numbers and titles behind each mention of the page; an empty text where there is none."""
    text = " ".join(re.sub(r"^\s*(#|//)", "", line) for line in source.splitlines())
    for listed in re.findall(
        r'docs/contract\.md((?:"[^"]+"|\d[\d.]*\d|\d|sections?|and|[, ])*)', text
    ):
        yield from re.findall(r'"([^"]+)"', listed) + re.findall(r"[\d.]*\d", listed) or [""]


def test_citations_have_one_form():
    """A citation names the page and a place in it, as in `docs/contract.md, section 5.9`."""
    other = re.compile(r'\bcontract,? sections? \d|specification, "')
    assert [path.name for path in CODE if other.search(path.read_text())] == []


def test_statements_of_the_contract_are_numbered_in_order():
    section, count = "", 0
    found = re.findall(r"^##+ ([\d.]*\d)\.? |^- \*\*([\d.]+)\*\* ", CONTRACT, re.M)
    assert len([number for _, number in found if number]) > 100
    for heading, number in found:
        section, count = (heading, 0) if heading else (section, count + 1)
        assert heading or number == f"{section}.{count}"


def test_the_page_of_endpoints_is_what_the_command_prints():
    printed = "".join(page_of_endpoints(everything.catalog()))
    is_same = printed == (ROOT / "docs/endpoints.md").read_text()
    assert is_same, "run: flask --app wsgi catalog reference > docs/endpoints.md"


def test_the_types_of_endpoints_are_what_the_command_prints():
    path = "service/browser/widgets/endpoints.d.ts"
    is_same = "".join(declarations(everything.catalog())) == (ROOT / path).read_text()
    assert is_same, f"run: flask --app wsgi catalog types > {path}"


def test_no_blank_line_cuts_a_table():
    """Every run of rows begins with its headings and the line below them."""
    for page in PAGES:
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
        for rows in re.findall(r"(?:^\|.*\n)+", text, re.M):
            assert re.match(r".*\n\|[-:| ]+\|\n", rows), (page, rows[:80])


def test_the_number_of_endpoints_is_stated():
    catalog = everything.catalog()
    assert f"{len(catalog.names)} names for {len([*catalog])} endpoints" in CONTRACT
    stated = f"{len([*catalog])} endpoints under {len(catalog.names)} names"
    assert stated in (ROOT / "README.md").read_text()
