"""The order of the files in a parallel run."""

from tests.file_order_plugin import BROWSER_FOLDERS, BROWSERS, TESTS, group_of, spread

WAITING = [TESTS / f"faults/test_{number}.py" for number in range(3)]
OTHERS = [TESTS / f"chat/test_{number}.py" for number in range(9)]
BROWSER = [TESTS / f"browser/test_{number}.py" for number in range(4)]


def test_files_that_wait_are_spread_among_the_others():
    ordered = spread([*OTHERS, *WAITING])
    assert sorted(ordered) == sorted([*OTHERS, *WAITING])
    assert [ordered.index(path) for path in WAITING] == [0, 3, 7]


def test_files_that_share_a_service_stay_together():
    ordered = spread([*BROWSER, *WAITING, *OTHERS])
    first = ordered.index(BROWSER[0])
    assert ordered[first : first + 4] == BROWSER


def test_no_file_is_lost_where_a_group_is_the_last():
    assert sorted(spread([*BROWSER, *WAITING])) == sorted([*BROWSER, *WAITING])


def test_a_run_without_such_files_keeps_its_order():
    assert spread(OTHERS) == OTHERS
    assert spread(WAITING) == WAITING


def test_files_with_a_browser_go_to_few_workers():
    found = [path for folder in BROWSER_FOLDERS for path in (TESTS / folder).glob("test_*.py")]
    assert len({group_of(f"tests/{path.relative_to(TESTS)}") for path in found}) == BROWSERS
    assert group_of("tests/test_file_order_plugin.py") == "tests/test_file_order_plugin.py"
