"""Which model makes a picture: by the prompt, the wishes of a call, and what is configured."""

import pytest

from service.integrations.vendors.magnific.picking import MODELS, pick_model

MAGNIFIC = MODELS[:-1]
SUITS, READ = "This model suits most prompts.", "The prompt asks for text that can be read."
PHOTO, HIGH = "The picture is to be a photograph.", "The picture is to be of high quality."
DRAFT = "A draft is made fast and cheaply."


@pytest.mark.parametrize(
    ("prompt", "wish", "model", "reason"),
    [
        ("A cat with wings", {}, "seedream-v4", SUITS),
        ('A shop with the sign "Open"', {}, "llm", READ),
        ("Ein Plakat mit „Hallo Welt“", {}, "llm", READ),
        ("A mug that says good morning", {}, "llm", READ),
        ("A logo of a bakery", {}, "llm", READ),
        ("A poster with the text SALE", {"quality": "draft", "style": "photo"}, "llm", READ),
        ("A cat's paw and a dog's ear, no text", {}, "seedream-v4", SUITS),
        ("A landscape without any logos", {"style": "photo"}, "mystic", PHOTO),
        ("A photo of an old harbour", {}, "mystic", PHOTO),
        ("A photo album on a desk", {"style": "illustration"}, "seedream-v4", SUITS),
        ("A cat", {"quality": "high"}, "mystic", HIGH),
        ("A photo of a cat", {"quality": "draft"}, "hyperflux", DRAFT),
        ("A logo", {"model": "flux-pro"}, "flux-pro", "The call names this model."),
        ("A logo", {"configured": MAGNIFIC}, "seedream-v4",
         f"{READ} The model for this, llm, is not configured. {SUITS}"),
        ("A photo", {"configured": ["llm"]}, "llm", "No other model is configured."),
        ("A logo", {"configured": ["llm"]}, "llm", READ),
    ],
)  # fmt: skip
def test_the_model_that_suits_the_prompt_is_picked_with_its_reason(prompt, wish, model, reason):
    asked = {"model": "auto", "quality": "standard", "style": None, "configured": MODELS, **wish}
    pick = pick_model(prompt, **asked)
    assert (pick.model, pick.reason) == (model, reason)
