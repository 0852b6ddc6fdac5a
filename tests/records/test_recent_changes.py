"""The newest changes in a worker's memory: what is not there is read from the database."""

import pytest

from service.records import recent_changes as module
from service.records.cursor import Position
from service.records.recent_changes import Window
from tests.records.board import change


@pytest.fixture
def window():
    return Window(Position(0, 0))


def numbers(page):
    return [each.position.seq for each in page]


def test_dropped_changes_are_not_taken_for_no_changes(window, monkeypatch):
    monkeypatch.setattr(module, "WINDOW_CHANGES", 10)
    window.extend(change(seq) for seq in range(1, 12))
    assert window.after(Position(0, 5)) is None
    assert numbers(window.after(Position(0, 6))) == [7, 8, 9, 10, 11]
    assert (numbers(window.after(window.tail)), window.tail) == ([], Position(0, 11))


def test_a_change_larger_than_the_window_is_dropped_at_once(window, monkeypatch):
    monkeypatch.setattr(module, "WINDOW_BYTES", 2_000)
    window.extend(change(seq) for seq in (1, 2, 3, 4))
    assert (window.floor, numbers(window.after(window.floor))) == (Position(0, 3), [4])
    window.extend([change(5), change(6)])  # which fit in
    assert numbers(window.after(Position(0, 3))) == [4, 5, 6]
    monkeypatch.setattr(module, "WINDOW_BYTES", 400)
    window.extend([change(7)])
    assert window.after(Position(0, 6)) is None
    assert (window.floor, window.tail) == (Position(0, 7), Position(0, 7))
