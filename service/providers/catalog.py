"""The models, and the providers that serve them, read from the settings."""

from config import Settings
from service.providers.provider import Kind, Model, Provider
from service.providers.wires import anthropic_messages, openai_chat

DEFAULT_MODEL = "llm-sonnet-4-6"

PROVIDER_KINDS: dict[str, Kind] = {
    "llm-opus-4-7": "A",
    "llm-sonnet-4-6": "A",
    "llm-haiku-4-5": "A",
    "gen-5.4": "B",
    "gen-5.4-mini": "B",
    "gen-5.4-nano": "B",
    "oss-120b": "C",
}


def providers(settings: Settings) -> dict[Kind, Provider]:
    return {
        "A": Provider(
            "A",
            anthropic_messages.WIRE,
            settings.provider_a_base_url or "https://api.anthropic.com",
            settings.provider_a_api_key,
            receives_user=True,
        ),
        "B": Provider(
            "B",
            openai_chat.WIRE,
            settings.provider_b_base_url or "https://api.openai.com/v1",
            settings.provider_b_api_key,
            output_cap="max_completion_tokens",
            # Users report that its newest models refuse tools on this API with the default effort.
            reasoning_effort="none",
            receives_user=True,
        ),
        "C": Provider(
            "C",
            openai_chat.WIRE,
            settings.provider_c_base_url or "https://api.groq.com/openai/v1",
            settings.provider_c_api_key,
            needs_key=settings.provider_c_base_url is None,  # a local host may need no key
        ),
    }


def models(settings: Settings) -> dict[str, Model]:
    """Return all models of the specification by id, configured or not."""
    served = providers(settings)
    return {
        model_id: Model(model_id, settings.model_names[model_id], served[kind])
        for model_id, kind in PROVIDER_KINDS.items()
    }
