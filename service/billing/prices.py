"""All prices of models, and what a step costs at them. 1 credit is about 2 US cents.

Inside, amounts are integer micro-credits; `credits` turns them into what people and clients see.
"""

import math
from dataclasses import dataclass

CREDIT = 1_000_000  # micro-credits
DOLLAR = 50 * CREDIT  # what a vendor asks for in US dollars

# Tokens that a provider adds to a prompt: message frames, its instructions about tools.
MARGIN = 1000  # tokens


@dataclass(frozen=True)
class Price:
    """Micro-credits for one token of the prompt (`input`), of the answer (`output`), and of what
    the provider has read from its cache, or written there, of the prompt."""

    input: float
    output: float
    cache_read: float
    cache_write: float


# A cache read costs a tenth at A and B, and a half at C's default host; other hosts report none. A
# cache write costs a quarter more at A, where it lasts five minutes, and nothing more at B and C.
# Source: the providers' pages of prices.
MODEL_PRICES: dict[str, Price] = {
    "llm-opus-4-7": Price(250, 1250, 25, 312.5),
    "llm-sonnet-4-6": Price(150, 750, 15, 187.5),
    "llm-haiku-4-5": Price(50, 250, 5, 62.5),
    "gen-5.4": Price(125, 750, 12.5, 125),
    "gen-5.4-mini": Price(38, 225, 3.75, 38),
    "gen-5.4-nano": Price(10, 63, 1, 10),
    "oss-120b": Price(8, 30, 4, 8),
}


def cost(
    model_id: str,
    input_tokens: int,
    output_tokens: int,
    cache_read: int = 0,
    cache_write: int = 0,
) -> int:
    """The cost of a step in micro-credits. `input_tokens` includes the tokens of the cache."""
    price = MODEL_PRICES[model_id]
    uncached = max(0, input_tokens - cache_read - cache_write)
    cached = price.cache_read * cache_read + price.cache_write * cache_write
    return math.ceil(price.input * uncached + cached + price.output * output_tokens)


def most(model_id: str, prompt_tokens: int, max_output_tokens: int) -> int:
    """The most a step should cost, in micro-credits; `prompt_tokens` is a bound.

    All of the prompt may have to be written into the cache.
    """
    asked = prompt_tokens + MARGIN
    return cost(model_id, asked, max_output_tokens, cache_write=asked)


def credits(micro: int) -> float:
    """Credits, as answers and commands show them."""
    return micro / CREDIT
