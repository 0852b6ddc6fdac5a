"""The stall alarm in a worker finds code that blocks the event loop, with its user."""

import itertools
import json
import re
import subprocess
import sys

import pytest
import requests

from config import ROOT
from service.ids import new_id
from service.observing.stall_times import Sample, Stall
from tests.services import wait_for
from tests.tool_caller import ToolCaller

WAITING = 0.2  # seconds, more than the limit of 0.05


@pytest.fixture
def configure() -> dict:
    return {"EXTENSIONS": "tests.extension"}


@pytest.fixture
def tool_caller(service) -> ToolCaller:
    return ToolCaller(service)


def found_in(tool_caller: ToolCaller, function: str) -> list[dict]:
    """Return the stalls within a function of the extension."""
    place = re.compile(rf"/tests/extension\.py:\d+ {function}$")
    return [line for line in tool_caller.lines("stalled") if any(map(place.search, line["at"]))]


def stalls_in(
    tool_caller: ToolCaller, function: str, how: str, seconds: float = WAITING
) -> list[dict]:
    """Stall once more. On a busy machine, a stall may have begun at another place before."""
    tool_caller.call("test.stall", new_id("msg"), how=how, seconds=seconds)
    return found_in(tool_caller, function)


@pytest.mark.parametrize(
    ("how", "kind"), [("compute", "computing"), ("parse", "computing"), ("block", "blocked")]
)
def test_a_stall_is_logged_with_its_place_and_its_user(tool_caller, how, kind):
    function = "stall" if how == "block" else how
    wait_for(lambda: stalls_in(tool_caller, function, how))
    line = max(found_in(tool_caller, function), key=lambda line: line["ms"])
    assert (line["user"], line["chat"], line["model"]) == ("alice", tool_caller.chat, "gen-5.4")
    assert (line["route"], line["kind"]) == ("/api/ai/chat", kind)
    assert line["request_id"]
    assert line["worker"] == tool_caller.service.worker
    assert line["ms"] >= 0.8 * WAITING * 1000, "less than it was, by a look's distance"
    assert "done" not in json.dumps(line), "places, no values"
    figures = requests.get(f"{tool_caller.service.url}/metrics", timeout=10).text
    metric = f'worker_stall_seconds_count{{kind="{kind}",route="/api/ai/chat"}}'
    assert re.search(rf"^{re.escape(metric)} [1-9]", figures, re.M)
    longest = float(re.search(r"^worker_longest_stall_seconds (\S+)", figures, re.M)[1])
    assert longest >= line["ms"] / 1000 - 0.001


def test_a_stopped_process_is_not_a_stall(tool_caller):
    tool_caller.call("test.stall", "m-1", how="stop", seconds=1.5)
    wait_for(lambda: stalls_in(tool_caller, "compute", "compute"))
    assert all(line["ms"] < 750 for line in tool_caller.lines("stalled"))


def test_many_short_pieces_of_work_are_not_a_stall(tool_caller):
    """On a busy machine a sample may be too late to tell them apart, but rarely."""
    found = [stalls_of_short_pieces(tool_caller, attempt) for attempt in range(3)]
    assert sum(map(bool, found)) < 2, found


def stalls_of_short_pieces(tool_caller: ToolCaller, attempt: int) -> list[str]:
    earlier = len(found_in(tool_caller, "compute"))
    tool_caller.call("test.stall", f"short-{attempt}", how="share", seconds=WAITING)
    numbers = itertools.count()

    def finds_a_long_one() -> bool:
        """Where the samples came too late for one, it computes again."""
        number = f"long-{attempt}-{next(numbers)}"
        tool_caller.call("test.stall", number, how="compute", seconds=WAITING)
        return bool(in_a_turn(found_in(tool_caller, "compute")[earlier:]))

    wait_for(finds_a_long_one, 20)
    new = found_in(tool_caller, "compute")[earlier:]
    return [line["at"][0] for line in new if line not in in_a_turn(new)]


def in_a_turn(lines: list[dict]) -> list[dict]:
    """Return the stalls of a turn's own greenlet, not of one that began in `compute`."""
    return [line for line in lines if not line["at"][0].endswith(" compute")]


def test_work_before_a_late_sample_is_not_the_work_that_was_found():
    """60 ms of others' work, then 20 ms in which the found piece waits for a CPU."""
    found = Stall(Sample(0, 0), 0, 1, None, Sample(0.06, 0.06), Sample(0.08, 0.06), 0)
    found.queued = 0.02
    assert found.seconds == pytest.approx(0)
    found.last, found.queued = Sample(0.08, 0.08), 0
    assert found.seconds == pytest.approx(0.08), "its own: it goes on computing"


def test_a_sample_begins_no_collection_in_which_its_frames_may_end():
    """Python 3.11 crashes then: a worker did about every twenty minutes under load."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.stall_sampling"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    samples, collections = map(int, done.stdout.split())
    assert samples >= 1000
    assert collections == 0, "in the thread that samples"


def test_a_long_stall_is_logged_while_it_lasts(tool_caller):
    of_one: list[list[dict]] = []  # the lines of one stall: while it lasts, and at its end

    def are_logged() -> bool:
        warned, ended = len(tool_caller.lines("stalling")), len(found_in(tool_caller, "compute"))
        stalls = stalls_in(tool_caller, "compute", "compute", 1.3)
        of_one[:] = [tool_caller.lines("stalling")[warned:], stalls[ended:]]
        return all(of_one)

    wait_for(are_logged, 30)
    going_on, ended = of_one[0][0], of_one[1][-1]
    assert going_on["user"] == "alice"
    # Their lengths can't be compared: some waits for a processor are subtracted only at the end.
    assert going_on["ms"] >= 1000
    assert going_on["timestamp"] < ended["timestamp"]
