"""Files of bytecode, written once before the workers of pytest-xdist start.

In a fresh clone each of them would compile all modules at the same time, for 5 s of a processor.
Each would also read all modules for the constants that Hypothesis tries, for half a second.
"""

import compileall
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from _pytest.assertion import rewrite  # there is no public way to rewrite what is not imported
from hypothesis.internal.constants_ast import constants_from_module, is_local_module_file

from config import ROOT

FOLDERS = ("service", "serving", "tests")
OTHERS = ("node_modules", ".python_packages")  # packages that tests install


def write(config: pytest.Config) -> None:
    """Compile what has changed, as Python does for an import, or pytest for a test module."""
    if sys.dont_write_bytecode:
        return
    for path in modules():
        if is_rewritten(path):
            rewrite_asserts(path, config)
        else:
            compileall.compile_file(path, quiet=1)
        if is_local_module_file(str(path)):
            keep_constants(path)


def keep_constants(path: Path) -> None:
    """Hypothesis keeps them in a file of its own."""
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    constants_from_module(module)


def modules() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            if not any(name in path.parts for name in OTHERS):
                yield path


def is_rewritten(path: Path) -> bool:
    """Whether pytest changes its asserts, so that a failure shows their values."""
    return path.name.startswith("test_") or path.name == "conftest.py"


def rewrite_asserts(path: Path, config: pytest.Config) -> None:
    state = config.stash[rewrite.assertstate_key]
    folder = rewrite.get_cache_dir(path)
    compiled = folder / (path.name.removesuffix(".py") + rewrite.PYC_TAIL)
    if rewrite._read_pyc(path, compiled) is None:
        source, code = rewrite._rewrite_test(path, config)
        folder.mkdir(exist_ok=True)
        rewrite._write_pyc(state, code, source, compiled)
