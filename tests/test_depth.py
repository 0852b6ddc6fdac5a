"""TEST_DEPTH reaches every property test and every round of the fault tests."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from config import ROOT
from tests.depth import DEPTH, depth

HERE = ROOT / "tests"
INSTALLED = {"node_modules", ".python_packages"}
MANY = 20  # rounds; fewer are cases that are told apart by hand


def trees(folder: Path, word: str) -> list[tuple[Path, ast.Module]]:
    """The modules below a folder that have a word, but for packages that tests have installed."""
    paths = [path for path in sorted(folder.rglob("*.py")) if INSTALLED.isdisjoint(path.parts)]
    return [(path, ast.parse(text)) for path in paths if word in (text := path.read_text())]


def calls(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        called = getattr(node, "func", None)
        if name in (getattr(called, "id", None), getattr(called, "attr", None)):
            yield node


def at_depth(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and getattr(value.func, "id", None) == "depth"


def shallow(tree: ast.AST) -> list[int]:
    """Lines that give property tests a number of examples that no depth changes."""
    given = (node for node in ast.walk(tree) if isinstance(node, ast.keyword))
    return [
        one.value.lineno for one in given if one.arg == "max_examples" and not at_depth(one.value)
    ]


def test_the_profile_is_in_force_and_has_the_depth():
    """A property test that says nothing of examples has those of the profile."""
    assert settings.default.max_examples == depth(100) == 100 * DEPTH
    assert (settings.default.database, settings.default.deadline) == (None, None)
    assert settings.default.derandomize is (DEPTH == 1)


def test_every_number_of_examples_is_at_depth():
    found = {
        str(path.relative_to(HERE)): shallow(tree) for path, tree in trees(HERE, "max_examples")
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("@settings(max_examples=depth(3))\ndef test(): ...", []),
        ("@settings(max_examples=300)\ndef test(): ...", [1]),
        ("x = 1\nsettings(max_examples=40 * DEPTH)", [2]),
    ],
)
def test_a_number_that_no_depth_changes_is_found(code, lines):
    assert shallow(ast.parse(code)) == lines


def test_the_depth_is_read_in_one_place():
    named = {path.name for path, tree in trees(HERE, "TEST_DEPTH") for node in ast.walk(tree)
             if isinstance(node, ast.Constant) and node.value == "TEST_DEPTH"}  # fmt: skip
    assert named == {"depth.py", "test_depth.py"}


def test_the_fault_tests_rounds_are_at_depth():
    """A loop of many rounds is a search for what goes wrong once in many times."""
    shallow = [
        f"{path.name}:{loop.lineno}"
        for path, tree in trees(HERE / "faults", "range")
        for loop in ast.walk(tree)
        if isinstance(loop, ast.For)
        for call in calls(loop.iter, "range")
        if isinstance(call.args[-1], ast.Constant) and call.args[-1].value >= MANY
    ]
    assert shallow == []
