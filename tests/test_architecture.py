"""Imports point down only, and the other rules of docs/architecture.md hold."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from config import ROOT

MODULES = sorted((ROOT / "service").rglob("*.py"))
TOP = (
    "config.py", "config_addresses.py", "config_names.py", "config_settings.py", "config_values.py",
    "wsgi.py", "gunicorn.conf.py",
)  # fmt: skip
SERVING = sorted((ROOT / "serving").rglob("*.py"))  # the process around the service
FILES = [*(ROOT / name for name in TOP), *SERVING, *MODULES]

# From the ground up. A room imports from floors below its own, and from its own room.
FLOORS = [
    {"config"},
    {"app", "app_keys", "background", "cleanup", "column_types", "current_request", "database",
     "disk", "error_frames", "extensions", "fairness", "ids", "json_encoding", "lazy", "lifecycle",
     "name_suggestions", "observing", "outbound", "raw_sockets", "release", "sealing", "storable",
     "supervised", "times", "tracing",
     "web", "websockets"},
    {"providers"},
    {"auth"},
    {"limits"},
    {"billing"},
    {"browser", "generation", "media", "sign_in"},
    {"records", "integrations"},
    {"activity"},
    {"chat"},
    {"assistant"},
    {"mcp"},
    {"upkeep"},
    {"admin", "cli", "extension_modules", "sandbox", "tokens", "widgets", "console"},
    {"declarations"},
    {"__init__"},
    {"wsgi"},
]  # fmt: skip
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}

# The same within a room: a part, a folder or a module, imports only from levels below its own.
LEVELS = {
    "chat": [
        {"usage"},
        {"models", "question", "titles"},
        {"claim_lock", "external_calls", "message_lock"},
        {"claims", "earlier_writes", "indexed_words", "journal"},
        {"collections", "stream", "undo", "worker_lease"},
        {"history", "tools"},
        {"calling"},
        {"turn"},
        {"relay"},
        {"autonomous", "resume", "views"},
        {"finding", "turns"},
    ],
    "integrations": [
        {"models"},
        {"declare"},
        {"inbound"},
        {"consent"},
        {"calling"},
        {"vendors"},
        {
            "catalog_answer",
            "documents",
            "everything",
            "idle_grants",
            "oauth",
            "route_descriptions",
            "setup",
            "typed_query",
        },
        {"reference", "views"},
    ],
}

CEILING = 250
SAYS_NOTHING = {"util", "utils", "helper", "helpers", "common", "base", "manager", "misc"}
REQUEST_READERS = {
    "app",
    "views",
    "turns",
    "resume",
    "oauth",
    "socket",
    "vendors",
    "bearer",
    "bodies",
    "current_request",
    "edge",
    "operations",
    "request_log",
    "responses",
    "sign_in",
}
BROAD_EXCEPTS = {
    "service/chat/turn/pump.py",
    "service/chat/tools/run.py",
    "service/database/sqlite.py",
}


def room(path: Path) -> str:
    """The first part of a module's name below `service`, or the top-level file's own."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "service" else parts[0]


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Every node of a module's syntax tree. To read it takes most of these tests' time."""
    return tuple(ast.walk(ast.parse(path.read_text())))


@cache
def imports(path: Path) -> tuple[str, ...]:
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "DeferredModule":
            yield ast.literal_eval(node.args[0])


def rooms_of(path: Path) -> set[str]:
    """The project's own rooms that a module imports."""
    found = set()
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "config":
            found.add("config")
        elif parts[0] == "service" and len(parts) > 1 and parts[1] in FLOOR:
            found.add(parts[1])
    return found


def test_imports_point_down():
    for path in MODULES:
        here = room(path)
        for there in rooms_of(path) - {here}:
            level = FLOOR[here] == FLOOR[there] == FLOOR["web"]
            assert FLOOR[there] < FLOOR[here] or level, f"{path}: {there} is not below {here}"


def test_every_room_stands_on_a_floor():
    assert {room(path) for path in MODULES} <= set(FLOOR)


def test_the_architecture_shows_the_floors():
    """From the top down, with the process around the service above them."""
    block = (ROOT / "docs/architecture.md").read_text().split("```")[1].strip()
    shown = [re.split(" {2,}", line.replace("service/", "")) for line in block.splitlines()]
    assert [FLOOR.keys() & names for names in shown[:0:-1]] == FLOORS


def part_files(room: str, part: str) -> list[Path]:
    module = ROOT / "service" / room / f"{part}.py"
    return [module] if module.exists() else sorted(module.with_suffix("").rglob("*.py"))


@pytest.mark.parametrize("room", LEVELS)
def test_imports_point_down_within_a_room(room):
    level = {name: number for number, names in enumerate(LEVELS[room]) for name in names}
    for part in level:
        for path in part_files(room, part):
            names = [name.split(".") for name in imports(path)]
            imported = {name[2] for name in names if name[:2] == ["service", room] and name[2:]}
            above = {other for other in imported - {part} if level[other] >= level[part]}
            assert above == set(), f"{path} imports what is not below {part}"


@pytest.mark.parametrize("room", LEVELS)
def test_every_part_of_a_room_stands_on_a_level(room):
    parts = {path.stem for path in (ROOT / "service" / room).glob("*.py")}
    parts |= {path.parent.name for path in (ROOT / "service" / room).glob("*/__init__.py")}
    assert parts - {"__init__"} == set.union(*LEVELS[room])


def test_no_import_cycles():
    graph = {name: set() for name in map(module_name, MODULES) if name != "service"}
    for path in MODULES:
        here = module_name(path)
        if here in graph:
            graph[here] = {name for name in imports(path) if name in graph and name != here}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join([*trail, name])
        if name not in done:
            for other in graph[name]:
                visit(other, (*trail, name))
            done.add(name)

    for name in graph:
        visit(name, ())


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_no_module_is_over_the_ceiling():
    assert [path for path in FILES if len(path.read_text().splitlines()) > CEILING] == []


def test_names_say_something():
    stems = {path.stem for path in (ROOT / "service").rglob("*.*")}
    assert not stems & SAYS_NOTHING


def test_a_class_name_stands_for_one_class():
    """The parameters of a vendor's endpoints belong to its module alone."""
    counts = Counter(
        node.name
        for path in (*MODULES, *SERVING)
        if "vendors" not in path.parts
        for node in nodes(path)[0].body
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in counts.items() if count > 1] == []


def test_only_edges_touch_the_request():
    sources = r"\bflask\.(?:request|g)\b|\bservice\.current_request\b"
    readers = {path.stem for path in MODULES if re.search(sources, "\n".join(imports(path)))}
    assert readers == REQUEST_READERS


def test_only_config_and_gunicorn_read_the_environment():
    """The reload too: what systemd tells it there is not among the settings."""
    readers = {path.name for path in FILES if re.search(r"os\.(environ|getenv)", path.read_text())}
    assert readers == {"config.py", "gunicorn.conf.py", "reload.py"}


def test_nothing_in_the_service_imports_the_process_around_it():
    for path in (*MODULES, *(ROOT / name for name in TOP[:4])):
        assert "serving" not in {name.split(".")[0] for name in imports(path)}, path


def test_only_upstream_makes_requests():
    clients = (
        "requests",
        "urllib.request",
        "urllib3.connection",
        "urllib3.pool",
        "urllib3.request",
    )
    users = {path.stem for path in MODULES if any(n.startswith(clients) for n in imports(path))}
    assert users == {"connecting"}  # which gives `upstream` its connections


def test_providers_are_pure():
    for path in (ROOT / "service/providers").rglob("*.py"):
        outside = {name.split(".")[0] for name in imports(path)}
        assert not outside & {"flask", "sqlalchemy", "requests", "gevent", "socket"}, path
        assert rooms_of(path) <= {
            "config",
            "json_encoding",
            "name_suggestions",
            "providers",
            "storable",
        }, path


def test_broad_excepts_stand_only_where_one_must():
    broad = set()
    for path in (*MODULES, *SERVING):
        for node in nodes(path):
            if isinstance(node, ast.ExceptHandler) and _catches_everything(node):
                broad.add(str(path.relative_to(ROOT)))
    assert broad == BROAD_EXCEPTS


def _catches_everything(handler: ast.ExceptHandler) -> bool:
    caught = ast.unparse(handler.type) if handler.type else "BaseException"
    return bool({"Exception", "BaseException"} & set(re.findall(r"\w+", caught)))


def test_tests_share_what_stands_in_no_test():
    """A test module that another one imports can't be changed or run alone."""
    names = re.compile(r"(?<!def )\btest_")  # few do, and to read the others would take seconds
    for path in (ROOT / "tests").rglob("*.py"):
        if not names.search(path.read_text()):
            continue
        of_tests = [name.split(".") for name in imports(path) if name.startswith("tests.")]
        assert not [name for name in of_tests if any(p.startswith("test_") for p in name)], path


def test_imports_stand_at_the_top():
    """An import inside a function hides a cycle."""
    for path in (*MODULES, *SERVING):
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef):
                hidden = [n for n in ast.walk(node) if isinstance(n, ast.Import | ast.ImportFrom)]
                assert not hidden, f"{path}: {node.name}"
