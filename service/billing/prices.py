"""All prices of models, and what a step costs at them. 1 credit is about 2 US cents.

Inside, amounts are integer micro-credits; `credits` turns them into what people and clients see.
"""

from dataclasses import dataclass

CREDIT = 1_000_000  # micro-credits
DOLLAR = 50 * CREDIT  # what a vendor asks for in US dollars

# A token is seldom shorter than three bytes of UTF-8, in English and in Chinese alike. What a
# provider adds of its own (message frames, its words about tools) is the margin.
BYTES_PER_TOKEN = 3
MARGIN = 1000  # tokens


@dataclass(frozen=True)
class Price:
    """Micro-credits for one token."""

    input: int
    output: int


MODEL_PRICES: dict[str, Price] = {
    "llm-opus-4-7": Price(250, 1250),
    "llm-sonnet-4-6": Price(150, 750),
    "llm-haiku-4-5": Price(50, 250),
    "gen-5.4": Price(125, 750),
    "gen-5.4-mini": Price(38, 225),
    "gen-5.4-nano": Price(10, 63),
    "oss-120b": Price(8, 30),
}


def cost(model_id: str, input_tokens: int, output_tokens: int) -> int:
    """What a step has cost, in micro-credits."""
    price = MODEL_PRICES[model_id]
    return price.input * input_tokens + price.output * output_tokens


def most(model_id: str, prompt_bytes: int, max_output_tokens: int) -> int:
    """The most a step should cost, in micro-credits; `prompt_bytes` is the prompt as UTF-8."""
    input_tokens = -(-prompt_bytes // BYTES_PER_TOKEN) + MARGIN
    return cost(model_id, input_tokens, max_output_tokens)


def credits(micro: int) -> float:
    """Credits, as answers and commands show them."""
    return micro / CREDIT
