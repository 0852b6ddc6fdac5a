"""The bench can fail: one mistake in a declaration is found, whichever it is."""

import pytest

from service.integrations.everything import catalog
from tests.depth import DEPTH
from tests.integrations.bench.checks import faults
from tests.integrations.bench.mutations import mutations, one_of_each_kind

ENDPOINTS = list(catalog())
# Mistakes without effect, by endpoint, kind and which it is.
HARMLESS: set[tuple[str, str, str]] = set()


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda item: item.name)
def test_a_mistake_in_a_declaration_is_found(bench, endpoint):
    others = [item for item in ENDPOINTS if item.name != endpoint.name]
    every = mutations(endpoint)
    for kind, which, mistaken in one_of_each_kind(every) if DEPTH == 1 else every:
        bench.reset()
        with bench.catalog([*others, mistaken]):
            is_found = any(faults(bench, mistaken))
        assert is_found or (endpoint.name, kind, which) in HARMLESS, (kind, which)
