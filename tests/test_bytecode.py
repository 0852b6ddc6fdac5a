"""What is compiled before the workers start is what they would compile themselves."""

import sys
from importlib.util import cache_from_source, module_from_spec, spec_from_file_location
from pathlib import Path
from unittest.mock import Mock

import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook

from tests import bytecode

LINE = "def test_the_values():\n    assert 1 + 1 == 3\n"


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A tree with a test, a helper and an installed package; bytecode is written."""
    for name in ("tests/test_values.py", "tests/helper.py", "tests/node_modules/other.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(LINE)
    monkeypatch.setattr(bytecode, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path / "tests"


def test_a_worker_loads_a_test_without_compiling_it(folders, pytestconfig, monkeypatch):
    bytecode.write(pytestconfig)
    monkeypatch.setattr(bytecode.rewrite, "_rewrite_test", Mock(side_effect=AssertionError))
    loader = next(one for one in sys.meta_path if isinstance(one, AssertionRewritingHook))
    spec = spec_from_file_location("values_of_a_test", folders / "test_values.py", loader=loader)
    module = module_from_spec(spec)
    loader.exec_module(module)
    with pytest.raises(AssertionError, match=r"assert \(1 \+ 1\) == 3"):
        module.test_the_values()
    bytecode.write(pytestconfig)  # nothing is left to do


def test_helpers_are_compiled_and_installed_packages_are_not(folders, pytestconfig):
    bytecode.write(pytestconfig)
    assert Path(cache_from_source(folders / "helper.py")).exists()
    assert not (folders / "node_modules/__pycache__").exists()
    assert not Path(cache_from_source(folders / "test_values.py")).exists(), "compiled twice"


def test_nothing_is_written_where_python_writes_no_bytecode(folders, pytestconfig, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    bytecode.write(pytestconfig)
    assert list(folders.rglob("__pycache__")) == []
