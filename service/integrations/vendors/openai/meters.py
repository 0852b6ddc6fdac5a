"""The most that a call of OpenAI can cost, and the cost of its reported usage, in US dollars."""

from collections.abc import Mapping
from typing import Any

from service.billing import prices
from service.billing.units import DOLLAR
from service.integrations.declare.meter import Meter, dollars_of

DEFAULT_TEXT = "gpt-5.4-mini"
MODELS = {"gpt-5.4": "gen-5.4", DEFAULT_TEXT: "gen-5.4-mini", "gpt-5.4-nano": "gen-5.4-nano"}


def dimensions(size: str) -> tuple[int, int]:
    """Return width and height in pixels. `auto` costs at most as much as a square."""
    if size == "auto":
        return 1024, 1024
    width, _, height = size.partition("x")
    return int(width), int(height)


def _priced_model(model: str | None) -> str:
    """Return the model whose price applies, by OpenAI's name for it or for a snapshot of it.

    Other hosts of OpenAI's API put the maker before the name: `openai/gpt-5.4`.
    """
    known = [name for name in MODELS if (model or "").rpartition("/")[2].startswith(name)]
    return MODELS[max(known, key=len, default=DEFAULT_TEXT)]


def _most_of_text(values: Mapping[str, Any]) -> float:
    """Return the most that a text costs. A token is at least a byte. If no model is named, the
    operator may have set any."""
    texts = [values.get("prompt", ""), values.get("systemPrompt", "")]
    texts += [message["content"] for message in values.get("messages", ())]
    most = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    models = [_priced_model(values["model"])] if "model" in values else MODELS.values()
    costs = [prices.max_cost(model, most, values["maxTokens"]) for model in models]
    return max(costs) / DOLLAR


def _used_by_text(data: Any) -> float | None:
    usage = data["usage"]
    if usage is None:
        return None
    tokens = (usage["inputTokens"], usage["outputTokens"], usage["cachedTokens"] or 0)
    return prices.cost(_priced_model(data["model"]), *tokens) / DOLLAR


def _most_of_images(values: Mapping[str, Any]) -> float:
    """Return the most that images cost. A token is at least a byte of the prompt."""
    width, height = dimensions(values["size"])
    output: int = values["n"] * _image_tokens(values["quality"], width, height)
    prompt = len(values["prompt"].encode("utf-8", "surrogatepass"))
    return prompt * prices.OPENAI_IMAGE_INPUT + output * prices.OPENAI_IMAGE_OUTPUT


def _image_tokens(quality: str, width: int, height: int) -> int:
    """Return the tokens of an image.

    Source: the price calculator of developers.openai.com/api/docs/guides/image-generation.
    """
    long = prices.OPENAI_IMAGE_PATCHES.get(quality, max(prices.OPENAI_IMAGE_PATCHES.values()))
    ratio = min(width, height) / max(width, height)
    return -(-long * round(long * ratio) * (2_000_000 + width * height) // 4_000_000)


def _used_by_images(data: Any) -> float | None:
    usage = data["usage"]
    if usage is None:
        return None
    read = dollars_of(usage["inputTokens"], prices.OPENAI_IMAGE_INPUT)
    drawn = dollars_of(usage["outputTokens"], prices.OPENAI_IMAGE_OUTPUT)
    return None if read is None or drawn is None else read + drawn


TEXTS = Meter(_most_of_text, _used_by_text)
IMAGES = Meter(_most_of_images, _used_by_images)
