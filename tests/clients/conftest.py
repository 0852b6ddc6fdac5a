"""The packages once a session, and one running service for each module."""

import pytest

from tests.npm import install
from tests.services import Service


@pytest.fixture(scope="session")
def packages():
    install()


@pytest.fixture(scope="module")
def running(packages, databases):
    """Its users can pay for every question of a module, eight held at once."""
    with Service(databases.make("sqlite"), STARTING_CREDITS=1_000_000) as service:
        yield service.start()
