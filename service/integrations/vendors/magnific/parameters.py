"""Parameters that several endpoints of Magnific take."""

from marshmallow import missing

from service.integrations.declare.fields import (
    Amount,
    Choice,
    Count,
    Parameters,
    Part,
    Several,
    Words,
)

# Magnific's names of the ratios of width to height. Every model accepts those in RATIOS.
RATIOS = (
    "square_1_1", "widescreen_16_9", "social_story_9_16", "portrait_2_3", "traditional_3_4",
    "standard_3_2", "classic_4_3",
)  # fmt: skip
FLUX_RATIOS = (*RATIOS, "horizontal_2_1", "vertical_1_2", "social_post_4_5")
# Mystic's own name of 4:5 is misspelt in its description, so 4:5 is left out.
MYSTIC_RATIOS = (
    *RATIOS, "smartphone_horizontal_20_9", "smartphone_vertical_9_20", "horizontal_2_1",
    "vertical_1_2", "social_5_4",
)  # fmt: skip
CLASSIC_RATIOS = (*MYSTIC_RATIOS, "social_post_4_5")


def prompt_words(least: int = 1, to: str = "json.prompt") -> Words:
    return Words("What the picture shows.", least=least, most=4000, to=to, required=True)


def short_name(ratio: str) -> str:
    """Return `1:1` for `square_1_1`."""
    return ":".join(ratio.split("_")[-2:])


def aspect_ratio(
    *ratios: str,
    to: str = "json.aspect_ratio",
    about: str = "Width to height.",
    has_default: bool = True,
) -> Choice:
    """Return a parameter for these ratios, by Magnific's names and by short names."""
    theirs = {short_name(ratio): ratio for ratio in ratios}
    default = ratios[0] if has_default else missing
    return Choice(*ratios, *theirs, about=about, to=to, theirs=theirs, default=default)


def seed_number(least: int, most: int) -> Count:
    about = "Repeats a picture, with the same parameters; any if it is not given."
    return Count(about, least=least, most=most, to="json.seed")


class Color(Parameters):
    color = Words("`#RRGGBB`.", pattern="^#[0-9A-Fa-f]{6}$", theirs=str.upper, required=True)
    weight = Amount("How much of it.", least=0.05, most=1, required=True)


def color_list() -> Several:
    about = "The dominant colors."
    return Several(Part(Color), about, least=1, most=5, to="json.styling.colors")


def effect(kind: str, *values: str) -> Choice:
    """Return a parameter for an effect. `lightning` is Magnific's word for the light."""
    about = {"color": "The tones.", "framing": "The view.", "lightning": "The light."}[kind]
    return Choice(*values, about=about, to=f"json.styling.effects.{kind}")
