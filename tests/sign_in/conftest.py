"""An identity provider, a service that trusts it, and a person's browser."""

import pytest

from tests.sign_in.browser import Browser
from tests.sign_in.identity_provider import IdentityProvider


@pytest.fixture
def provider():
    standing_in = IdentityProvider()
    yield standing_in
    standing_in.stop()


@pytest.fixture
def configure(provider, request) -> dict:
    marker = request.node.get_closest_marker("settings")
    return {**provider.settings(), **(dict(marker.kwargs) if marker else {})}


@pytest.fixture
def browser(app, provider) -> Browser:
    return Browser(app.test_client(), provider)


@pytest.fixture
def other(app, provider) -> Browser:
    """Of somebody else."""
    return Browser(app.test_client(), provider)
