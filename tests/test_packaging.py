"""The lock files and the wheel hold what they should, and nothing of the machine they come from."""

import re
import subprocess
import sys
import zipfile
from importlib.metadata import version

import pytest

from config import ROOT
from service.browser import files
from tests.fresh_copy import FreshCopy, environment_of, tracked_files
from tests.services import require

CODE = ".py"  # the rest is data: pages, and answers of examples


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Where the wheel of what is tracked lies unpacked."""
    require(int(version("setuptools").split(".")[0]) >= 77, "setuptools 77 or newer")
    place = tmp_path_factory.mktemp("wheel")
    copy = FreshCopy(place / "tree")
    build = ["pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", place, "."]
    done = copy.run(sys.executable, "-m", *map(str, build))
    assert done.returncode == 0, done.stdout
    (made,) = place.glob("*.whl")
    with zipfile.ZipFile(made) as archive:
        archive.extractall(place / "unpacked")
    return place / "unpacked"


def test_the_wheel_can_be_imported(wheel, tmp_path):
    """Of this project it has everything that it imports: the tree is not in reach."""
    code = "import wsgi, serving.worker, serving.reload; print(wsgi.app.name, wsgi.__file__)"
    environ = environment_of(SANDBOX="1", PYTHONPATH=str(wheel))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environ, capture_output=True, text=True
    )
    assert done.stdout.split() == ["service", str(wheel / "wsgi.py")], done.stderr


def test_the_wheel_has_every_file_of_data(wheel):
    files = [
        name for name in tracked_files() if name.startswith("service/") and not name.endswith(CODE)
    ]
    assert files
    assert not [name for name in files if not (wheel / name).exists()]


def test_every_module_that_a_browser_loads_finds_its_imports_in_the_wheel(wheel, monkeypatch):
    monkeypatch.setattr(files, "ROOT", wheel / "service/browser")
    modules = [f"{path.parent.name}/{path.name}" for path in files.ROOT.glob("*/*.js")]
    assert "console/console.js" in modules
    imported = {name for module in modules for name in files.imports(module)}
    assert [name for name in sorted(imported) if not files.find(*name.split("/"))] == []


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-test.lock"])
def test_a_lock_names_versions_and_hashes_alone(name):
    """No index, no path, no host: whoever installs from it decides where from."""
    pinned = r"[a-z0-9._-]+(\[[a-z,]+\])?==[^ ]+( ; .+)? \\"
    line = re.compile(rf"{pinned}|    --hash=sha256:[0-9a-f]{{64}}( \\)?|    #.*")
    text = (ROOT / name).read_text().splitlines()
    assert not [each for each in text if not line.fullmatch(each)]


@pytest.mark.parametrize("name", ["requirements", "requirements-test"])
def test_a_lock_holds_what_is_asked_for(name):
    asked = (ROOT / f"{name}.in").read_text().splitlines()
    wanted = {re.match(r"[\w-]+", line)[0].lower() for line in asked if line[0] not in "#-"}
    locked = (ROOT / f"{name}.lock").read_text()
    assert not [each for each in wanted if not re.search(rf"^{each}(\[\w+\])?==", locked, re.M)]


def test_making_the_locks_is_a_command_that_is_told():
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True).stdout
    assert re.search(r"^make lock ", shown, re.M)
    assert "make lock" in (ROOT / "CONTRIBUTING.md").read_text()
    dry = subprocess.run(["make", "-n", "lock"], cwd=ROOT, capture_output=True, text=True).stdout
    for name in ("requirements", "requirements-test"):
        assert re.search(rf"uv pip compile .*-o {name}\.lock {name}\.in", dry)
