"""The files that browsers load: which imports which, and what they may hold."""

import posixpath
import re

from config import ROOT
from service.browser import files

FILES = sorted(path for path in files.ROOT.glob("*/*") if path.suffix in files.MEDIA_TYPES)
MODULES = [path for path in FILES if path.suffix == ".js"]
PAGES = [
    ROOT / "service/console/templates/console.html",
    ROOT / "service/integrations/templates/oauth.html",
]
# From the lowest floor to the highest: a folder imports those below its own floor, and itself.
FLOORS = [
    {"shared"},
    {"widgets"},
    {"page"},
    {"admin", "data", "integrations", "canvases"},
    {"calls"},
    {"chat", "usage"},
    {"console"},
]
LATE = re.compile(r"import\('(\.[^']+)'\)\.then")  # when it is needed first
LATE_STYLES = re.compile(r"styles: \[([^\]]*)\]")
SINKS = re.compile(r"(inner|outer)HTML|insertAdjacentHTML|document\.write|eval\(|new Function")


def name_of(path) -> str:
    return f"{path.parent.name}/{path.name}"


def may_import(folder: str, other: str) -> bool:
    floor = {name: n for n, names in enumerate(FLOORS) for name in names}
    return folder == other or floor[other] < floor[folder]


def loaded(page: str) -> list[str]:
    return re.findall(r'(?:src|rel="stylesheet" href)="(?:/browser|\{\{ files \}\})/([^"]+)"', page)


def loaded_late(name: str) -> list[str]:
    """What a module of the console loads while it runs."""
    source = re.sub(r"/\*.*?\*/", "", (files.ROOT / name).read_text(), flags=re.DOTALL)
    styles = [
        each for found in LATE_STYLES.findall(source) for each in re.findall("'(.+?)'", found)
    ]
    targets = [*LATE.findall(source), *styles]
    return [posixpath.normpath(posixpath.join(posixpath.dirname(name), each)) for each in targets]


def test_a_module_imports_what_is_there_and_what_it_may():
    for path in MODULES:
        for name in files.imports(name_of(path)):
            folder, _, file = name.partition("/")
            assert may_import(path.parent.name, folder), f"{path.name} imports {name}"
            assert files.find(folder, file), f"{path.name} imports {name}, which is not there"


def test_every_file_of_the_console_is_loaded_by_a_page():
    roots = [name for page in PAGES for name in loaded(page.read_text())]
    reached, todo = set(), set(roots)
    while todo:  # also what is loaded late by what was loaded late
        modules = {each for name in todo if name.endswith(".js") for each in files.modules_of(name)}
        reached |= todo | modules
        todo = {file for name in modules for file in loaded_late(name)} - reached
    console = {name_of(path) for path in FILES if path.parent.name not in ("shared", "widgets")}
    assert console <= reached
    assert [name for name in roots if not files.find(*name.split("/"))] == []


def test_every_shared_file_is_used():
    roots = {name for page in PAGES for name in loaded(page.read_text())}
    imported = {name for path in MODULES for name in files.imports(name_of(path))}
    late = {style for path in MODULES for style in loaded_late(name_of(path))}
    shared = {name_of(path) for path in FILES if path.parent.name == "shared"}
    assert shared <= roots | imported | late


def test_files_stay_small_hold_no_markup_and_name_no_other_host():
    for path in FILES:
        source = path.read_text()
        if path.suffix == ".js":
            assert len(source.splitlines()) <= 250, path
            assert not SINKS.search(source), path
        else:
            assert "http" not in source, path


def test_the_import_graph_follows_imports_and_exports_and_no_comment(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "ROOT", tmp_path)
    (tmp_path / "console").mkdir()
    (tmp_path / "console/a.js").write_text(
        "import { x,\n  y } from './b.js';\nimport './c.js';\n// import './no.js';\n"
        "/** @typedef {import('./no.js').T} T */\nexport { z } from '../shared/d.js';\n"
    )
    graph = files.imports("console/a.js")
    assert graph == ["console/b.js", "console/c.js", "shared/d.js"]
