"""Every example of the catalog, through the whole app: what is sent, and what is answered."""

import pytest

from service.integrations.everything import catalog
from tests.integrations.bench.checks import faults


@pytest.mark.parametrize("endpoint", list(catalog()), ids=lambda item: item.name)
def test_an_endpoint_does_as_its_examples_say(bench, endpoint, record_property):
    assert list(faults(bench, endpoint)) == []
    record_property("described", endpoint.name in bench.described)  # counted in tests/conftest.py
