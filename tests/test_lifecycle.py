"""The drain of a worker."""

import pytest

from service.lifecycle import Lifecycle


def test_a_listener_that_fails_keeps_no_other_from_being_called():
    lifecycle, called = Lifecycle(), []

    def fail(_grace):
        raise RuntimeError("no")

    lifecycle.on_drain(lambda _grace: called.append("before"))
    lifecycle.on_drain(fail)
    lifecycle.on_drain(lambda grace: called.append(grace))
    with pytest.raises(RuntimeError, match="no"):
        lifecycle.drain(3.0)
    assert (called, lifecycle.draining) == (["before", 3.0], True)
