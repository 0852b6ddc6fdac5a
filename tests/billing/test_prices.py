"""Prices: every model has one, and a step's hold covers what it can cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.assistant.calls import tools as assistant_tools
from service.billing.prices import MARGIN_TOKENS, MODEL_PRICES, cost, max_cost
from service.billing.units import CREDIT, DOLLAR, to_credits
from service.chat.tools.lookups import LOOKUPS
from service.chat.tools.records import RECORDS
from service.chat.tools.tool import Tools
from service.chat.turn.instructions import SYSTEM
from service.integrations import everything
from service.providers.catalog import PROVIDER_KINDS
from service.providers.prompt import Prompt, UserMessage

STARTING = 1000 * CREDIT
CONTENT = 100_000  # characters, the most that one message may have
INSTRUCTIONS = 20_000  # characters, the most that an operator may add
OUTPUT = 8192  # tokens
CATALOG = everything.catalog()

models = st.sampled_from(sorted(MODEL_PRICES))
tokens = st.integers(0, 300_000)


def test_every_model_has_a_price():
    assert set(MODEL_PRICES) == set(PROVIDER_KINDS)


def test_a_step_costs_its_tokens():
    assert cost("llm-opus-4-7", 1000, 100) == 1000 * 250 + 100 * 1250
    assert cost("oss-120b", 0, 0) == 0


@pytest.mark.parametrize("character", ["a", "A", "7", "é", "漢", "🙂", "\x00", "\U0010ffff"])
def test_the_largest_first_hold_is_a_small_part_of_a_fresh_account(character):
    """The longest instructions of an operator may add a hundredth of it."""
    tools = Tools([*LOOKUPS, *RECORDS, *assistant_tools(CATALOG, [])]).specs
    for instructions, part in ((0, 0.05), (INSTRUCTIONS, 0.06)):
        told = SYSTEM + character * instructions
        prompt = Prompt(told, (UserMessage(character * CONTENT),), tools)
        for model in MODEL_PRICES:
            assert 0 < max_cost(model, prompt.tokens, OUTPUT) <= STARTING * part, model


@given(
    model=models, bound=tokens, cap=tokens, prompt=tokens, output=tokens, read=tokens, write=tokens
)
def test_a_hold_covers_every_cost_within_its_bounds(model, bound, cap, prompt, output, read, write):
    prompt, output = min(prompt, bound + MARGIN_TOKENS), min(output, cap)
    read = min(read, prompt)
    write = min(write, prompt - read)
    assert cost(model, prompt, output, read, write) <= max_cost(model, bound, cap)


def test_cached_tokens_have_their_own_price():
    assert cost("llm-sonnet-4-6", 60_000, 0, cache_read=59_000) == 1_000 * 150 + 59_000 * 15
    assert cost("llm-sonnet-4-6", 60_000, 0, cache_write=60_000) == 60_000 * 150 * 1.25
    assert cost("gen-5.4", 60_000, 0, cache_read=60_000) == 60_000 * 125 * 0.1


@pytest.mark.parametrize(
    ("model", "prompt", "cached", "answer"),
    [
        ("gen-5.4-mini", 0.75, 0.075, 4.50),
        ("gen-5.4-nano", 0.20, 0.02, 1.25),
        ("oss-120b", 0.15, 0.075, 0.60),
    ],
)
def test_a_model_costs_what_its_provider_lists(model, prompt, cached, answer):
    """Its prices are in dollars for a million tokens, and not whole micro-credits for each."""
    costs = (
        cost(model, 100_000, 0), cost(model, 100_000, 0, cache_read=100_000),
        cost(model, 0, 100_000),
    )  # fmt: skip
    assert costs == tuple(round(one * DOLLAR / 10) for one in (prompt, cached, answer))


def test_a_long_prompt_costs_twice_as_much_and_its_answer_half_as_much_again():
    assert cost("gen-5.4", 272_000, 1000) == 272_000 * 125 + 1000 * 750
    assert cost("gen-5.4", 272_001, 1000) == 272_001 * 250 + 1000 * 1125
    assert cost("gen-5.4", 300_000, 0, cache_read=300_000) == 300_000 * 25
    assert cost("gen-5.4-mini", 272_002, 1000) == 272_002 * 37.5 + 1000 * 225


@pytest.mark.parametrize("model", MODEL_PRICES)
def test_a_cached_token_costs_less_than_an_uncached_one(model):
    assert cost(model, 1000, 0, cache_read=1000) < cost(model, 1000, 0)


@given(micro=st.integers(-(2**52), 2**52))
def test_converting_to_credits_loses_nothing(micro):
    assert round(to_credits(micro) * CREDIT) == micro
