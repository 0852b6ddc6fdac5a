"""For how much of a stall its greenlet is responsible, and for what kind of it."""

import pytest

from service.observing.stall_times import Sample, Stall

HEAD, SAMPLED = 0.04, 0.2  # seconds before the first sample of the stall, and after it


def stall(head_cpu=0.0, cpu=0.0, queued=0.0, stopped=0.0) -> Stall:
    first = Sample(HEAD, head_cpu)
    last = Sample(HEAD + SAMPLED, head_cpu + cpu)
    made = Stall(Sample(0, 0), 0, 1, None, first, last, 0)
    made.queued, made.stopped = queued, stopped
    return made


@pytest.mark.parametrize(
    ("facts", "seconds", "kind"),
    [
        ({"head_cpu": HEAD, "cpu": SAMPLED}, HEAD + SAMPLED, "computing"),
        ({}, HEAD + SAMPLED, "blocked"),
        ({"head_cpu": HEAD}, SAMPLED, "blocked"),  # what came before was somebody's computing
        ({"head_cpu": HEAD, "cpu": 0.06}, SAMPLED, "blocked"),  # mostly: 0.06 and 0.14
        ({"cpu": 0.15}, SAMPLED, "computing"),  # it had no CPU before
        ({"queued": SAMPLED}, 0, "computing"),  # the machine is busy
        ({"stopped": SAMPLED}, 0, "computing"),  # the process was stopped
        ({"cpu": 0.05, "queued": 0.15}, 0.05, "computing"),
        ({"head_cpu": HEAD, "cpu": 0.05, "queued": 0.15}, HEAD + 0.05, "computing"),
        ({"cpu": 0.05, "stopped": 0.15}, 0.05, "computing"),
        ({"head_cpu": 1.0, "cpu": 1.0}, HEAD + SAMPLED, "computing"),  # no more than there was
        ({"queued": 1.0, "cpu": 0.01}, 0.01, "computing"),  # clocks that do not agree
        ({"queued": 1.0, "head_cpu": HEAD}, 0, "computing"),
    ],
)
def test_only_the_time_of_the_stall_itself_counts(facts, seconds, kind):
    found = stall(**facts)
    assert found.wall == pytest.approx(HEAD + SAMPLED)
    assert (found.seconds, found.kind) == (pytest.approx(seconds, abs=1e-9), kind)
