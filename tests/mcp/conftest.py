"""Alice as a client of each era."""

import pytest

from tests.mcp.era_clients import Speaker


@pytest.fixture
def handshake(alice) -> Speaker:
    return Speaker(alice, is_modern=False)


@pytest.fixture
def modern(alice) -> Speaker:
    return Speaker(alice, is_modern=True)


@pytest.fixture(params=[False, True], ids=["handshake", "modern"])
def speaker(request, alice) -> Speaker:
    return Speaker(alice, is_modern=request.param)
