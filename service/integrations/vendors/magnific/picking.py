"""Pick the model for a picture, by the caller's wishes and the configured models.

Of the models here, only a language model that draws writes texts without mistakes, and Mystic makes
the best photographs.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

LLM, MYSTIC, HYPERFLUX, SEEDREAM_V4 = "llm", "mystic", "hyperflux", "seedream-v4"
MODELS = (MYSTIC, "flux-dev", "flux-pro", HYPERFLUX, "seedream", SEEDREAM_V4, LLM)

NO_TEXT = re.compile(
    r"\b(?:no|without|free of)(?: any)? (?:text|words|letters|lettering|captions?|logos?)\b", re.I
)
TEXT = re.compile(
    r"""["\u201c\u201d\u201e\u00ab][^"\u201c\u201d\u201e\u00bb]{1,200}["\u201c\u201d\u00bb]"""
    r"""|(?<!\w)['\u2018][^'\u2018\u2019]{2,200}['\u2019](?!\w)"""
    r"|\b(?:that|which) (?:says|say|reads|read)\b|\bsaying\b|\blabell?ed\b"
    r"|\bwith (?:the|a) (?:text|words?|title|caption|slogan|name|headline|inscription)\b"
    r"|\b(?:logo|lettering|typography|infographic|menu card|business card)s?\b",
    re.I,
)
PHOTO = re.compile(r"\b(?:photos?|photograph\w*|photoreal\w*|dslr|bokeh|\d\d ?mm lens)\b", re.I)


@dataclass(frozen=True)
class Pick:
    """A model, by its name in the endpoint `generate-image-…`, and the reason as a sentence."""

    model: str
    reason: str


def pick_model(
    prompt: str, model: str, quality: str, style: str | None, configured: Collection[str]
) -> Pick:
    """Pick a configured model for `auto`, or the named model, configured or not."""
    if model != "auto":
        return Pick(model, "The call names this model.")
    passed = ""
    for reason, best in _wishes(prompt, quality, style):
        if best in configured:
            return Pick(best, f"{passed}{reason}")
        passed += f"{reason} The model for this, {best}, is not configured. "
    only = next(iter(configured), SEEDREAM_V4)
    return Pick(only, "No other model is configured.")


def possible_models(prompt: str, model: str, quality: str, style: str | None) -> set[str]:
    """Return the models that may be picked with any configuration."""
    wished = {best for _, best in _wishes(prompt, quality, style)}
    return {LLM, *wished} if model == "auto" else {model}


def _wishes(prompt: str, quality: str, style: str | None) -> Iterator[tuple[str, str]]:
    """Yield the reasons that apply, the most important first, each with its model."""
    if TEXT.search(NO_TEXT.sub("", prompt)):
        yield "The prompt asks for text that can be read.", LLM
    if quality == "draft":
        yield "A draft is made fast and cheaply.", HYPERFLUX
    if style == "photo" or (style is None and PHOTO.search(prompt)):
        yield "The picture is to be a photograph.", MYSTIC
    if quality == "high":
        yield "The picture is to be of high quality.", MYSTIC
    yield "This model suits most prompts.", SEEDREAM_V4
