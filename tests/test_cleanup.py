"""What a block has begun is undone if an exception leaves it, of whichever kind."""

import gevent
import pytest

from service.cleanup import OnFailure


def test_a_block_that_ends_well_is_not_undone():
    undone = []
    with OnFailure(lambda: undone.append(True)):
        pass
    assert undone == []


@pytest.mark.parametrize("error", [ValueError(), gevent.Timeout(), GeneratorExit(), SystemExit()])
def test_whatever_leaves_a_block_undoes_it_and_goes_on(error):
    undone = []
    with pytest.raises(type(error)), OnFailure(lambda: undone.append(True)):
        raise error
    assert undone == [True]


def test_a_block_whose_greenlet_is_killed_is_undone():
    undone = []

    def wait() -> None:
        with OnFailure(lambda: undone.append(True)):
            gevent.sleep(60)

    waiting = gevent.spawn(wait)
    gevent.sleep(0)
    waiting.kill()
    assert undone == [True]
