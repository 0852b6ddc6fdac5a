"""Prices: every model has one, and a step's hold covers what it can cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.billing.prices import CREDIT, MARGIN, MODEL_PRICES, cost, credits, most
from service.providers.catalog import KINDS

STARTING = 1000 * CREDIT
CONTENT = 100_000  # characters, the most that one message may have
OUTPUT = 8192  # tokens

models = st.sampled_from(sorted(MODEL_PRICES))
tokens = st.integers(0, 300_000)


def test_every_model_has_a_price():
    assert set(MODEL_PRICES) == set(KINDS)


def test_a_step_costs_its_tokens():
    assert cost("llm-opus-4-7", 1000, 100) == 1000 * 250 + 100 * 1250
    assert cost("oss-120b", 0, 0) == 0


@pytest.mark.parametrize("model", MODEL_PRICES)
@pytest.mark.parametrize("character", ["a", "é", "漢", "🙂"])
def test_the_largest_first_hold_is_a_small_part_of_a_fresh_account(model, character):
    prompt_bytes = len((character * CONTENT).encode())
    assert 0 < most(model, prompt_bytes, OUTPUT) <= STARTING * 0.05


@given(model=models, prompt_bytes=tokens, used=tokens, cap=tokens, said=tokens)
def test_a_hold_covers_every_cost_within_its_bounds(model, prompt_bytes, used, cap, said):
    used, said = min(used, prompt_bytes // 3 + MARGIN), min(said, cap)
    assert cost(model, used, said) <= most(model, prompt_bytes, cap)


@given(micro=st.integers(-(2**52), 2**52))
def test_credits_lose_nothing(micro):
    assert round(credits(micro) * CREDIT) == micro
