"""All prices: of models and of calls.

Prices of vendors are in US dollars, and those of endpoints in credits; `units` converts them.
"""

import math
from dataclasses import dataclass

MARGIN_TOKENS = 1000  # that a provider may add to a prompt: frames, instructions for tools


@dataclass(frozen=True)
class Price:
    """Micro-credits for one token.

    `input` is for tokens of the prompt, `output` for tokens of the answer. `cache_read` and
    `cache_write` are for tokens of the prompt that the provider read from or wrote to its cache.
    A prompt of more than `long_from` tokens costs twice as much, and its answer half as much again.
    """

    input: float
    output: float
    cache_read: float
    cache_write: float
    long_from: float = math.inf


# A cache read costs a tenth of the input price at A and B, and half of it at C's default host.
# Other hosts report no cache reads. A cache write costs a quarter more than input at A, where it
# lasts five minutes, and the same as input at B and C. Source: the providers' price pages; for
# long prompts, developers.openai.com/api/docs/models/gpt-5.4.
MODEL_PRICES: dict[str, Price] = {
    "llm-opus-4-7": Price(250, 1250, 25, 312.5),
    "llm-sonnet-4-6": Price(150, 750, 15, 187.5),
    "llm-haiku-4-5": Price(50, 250, 5, 62.5),
    "gen-5.4": Price(125, 750, 12.5, 125, long_from=272_000),
    "gen-5.4-mini": Price(37.5, 225, 3.75, 37.5),
    "gen-5.4-nano": Price(10, 62.5, 1, 10),
    "oss-120b": Price(7.5, 30, 3.75, 7.5),
}


# Credits of a call, by endpoint. An endpoint that is not listed is free, and its user is not asked.
# A metered endpoint costs what its vendor charges; the number here is the highest cost of a call
# with only the required parameters.
CALLS: dict[str, float] = {
    # The user is asked before these, and pays nothing: the vendor does not charge for calls.
    "cloudsuite/calendar-list-events": 0,
    "calendar-create-events": 0,
    "cloudsuite/mail-list": 0,
    "cloudsuite/mail-send": 0,
    "mail-reply": 0,
    "cloudsuite/drive-list": 0,
    "drive-upload": 0,
    "drive-download": 0,
    "drive-delete": 0,
    "cloudsuite/contacts-list": 0,
    "teamchat-channel-history": 0,
    "teamchat-send-message": 0,
    "rtc-create-room": 0,
    "rtc-join-room": 0,
    "shortvideo-post-video": 0,
    "neuralsearch-search": 0.35,
    "neuralsearch-find-similar": 0.35,
    "neuralsearch-contents": 0.05,
    "neuralsearch-answer": 0.25,
    "neuralsearch-research": 50,
    # For a prompt or a text of 1000 characters; an hour of audio; two minutes of video.
    "generate-text": 3.4,
    "generate-image-llm": 10.8,
    "text-to-speech": 5,
    "speech-to-text": 11,
    "aivideo-create-video": 200,
    # Text Search Enterprise. Source: developers.google.com/maps/billing-and-pricing/pricing.
    "search-places": 1.75,
    # A search in SerpApi's smallest plan. Source: serpapi.com/pricing.
    "shop-search": 1.25,
    "flights": 1.25,
    "search-hotels": 1.25,
    "search-web": 1,
    "search-web-ai": 1,
    "search-web-raw": 0.25,
    "search-images": 0.25,
    "search-videos": 0.25,
    "advanced-web-search": 0.8,
    "crawl-scrape": 2.5,
    "crawl-crawl": 5,
    "crawl-map": 0.25,
    "crawl-search": 0.5,
    "search-pdfs": 0.5,
    "search-academic": 0.25,
    "generate-image": 6.7,
    "generate-image-classic": 0.25,
    "generate-image-flux-dev": 1.5,
    "generate-image-flux-pro": 2.5,
    "generate-image-hyperflux": 0.5,
    "generate-image-mystic": 5.5,
    "generate-image-seedream": 1.5,
    "generate-image-seedream-v4": 2,
    "generate-video": 12.5,
    # Magnific's downloads cost nothing in most plans, but there are at most 100 a day. Searches are
    # not purchases, but they are not documented as free, so the user is asked.
    # Source: docs.magnific.com/pricing. The prices of a cutout and an expansion are not published.
    "remove-background": 2,
    "upscale-image": 11.5,
    "style-transfer-image": 5.75,
    "relight-image": 5.75,
    "expand-image": 5.75,
    "search-icons": 0,
    "search-stock-images": 0,
    "search-stock-videos": 0,
    "download-icon": 1,
    "download-stock-image": 1,
    "download-stock-video": 1,
    "profnet-analyze-profiles": 14,
}

# What Magnific charges for enlarging a picture, in US dollars, by the factor. The price depends on
# the pixels of the result, which are unknown before; these are the examples of its page, 0.20 to
# 0.50 EUR.
# Source: docs.magnific.com/api-reference/image-upscaler-precision-v2/overview (November 2026).
MAGNIFIC_UPSCALE = {2: 0.23, 4: 0.46, 16: 0.58}

# What Exa charges, in US dollars.
# Source: exa.ai/docs/admin/pricing and exa.ai/docs/changelog/pricing-update (November 2026).
EXA_SEARCH = 0.007  # with up to 10 results, their text and highlights
EXA_DEEP = {"deep-lite": 0.012, "deep": 0.012, "deep-reasoning": 0.015}
EXA_INCLUDED = 10  # results of a search
EXA_RESULT = 0.001  # for each further result
EXA_SUMMARY = 0.001  # of a page
EXA_PAGE = 0.001  # for each kind of content
EXA_ANSWER = 0.005
# A run with `auto` is metered: $5 unless a budget is given, and $1 is the smallest budget.
EXA_BUDGET = 1
EXA_RUN = {"low": 0.025, "medium": 0.10, "high": 0.50, "xhigh": 1.0, "auto": EXA_BUDGET}

# What Tavily charges for a search, in US dollars: one or two of its credits.
# Source: docs.tavily.com/documentation/api-credits (November 2026).
TAVILY_CREDIT = 0.008
TAVILY_SEARCH = {
    "advanced": 2 * TAVILY_CREDIT,
    "basic": TAVILY_CREDIT,
    "fast": TAVILY_CREDIT,
    "ultra-fast": TAVILY_CREDIT,
}

# The highest cost of a usual answer of Perplexity, in US dollars: a search is $0.005, a million
# tokens are $0.25 to read and $2.50 to write. Each answer reports what it has cost.
# Source: docs.perplexity.ai/docs/getting-started/pricing, /docs/agent-api/models (November 2026).
PERPLEXITY_ANSWER = {
    "sonar": 0.02,
    "sonar-pro": 0.06,
    "sonar-reasoning-pro": 0.06,
    "sonar-deep-research": 0.50,
}
PERPLEXITY_OUTPUT = 0.0000025  # of a token
# What OpenAI charges for the tokens of images, in US dollars, for each of its models. The patches
# are those along the longer side of an image, by its quality. Texts have the prices of
# `MODEL_PRICES`. Source: developers.openai.com/api/docs/pricing and /models/gpt-image-2.6-sunburst
# (November 2026); the patches are those of its calculator, community.openai.com/t/1382699.
OPENAI_IMAGE_INPUT = 0.000005
OPENAI_IMAGE_OUTPUT = 0.00003
OPENAI_IMAGE_PATCHES = {"low": 16, "medium": 48, "high": 96}

# What ElevenLabs charges, in US dollars: for one of its credits, for a character of a text in most
# voices, and for an hour of audio.
# Source: elevenlabs.io/pricing/api, by developer.puter.com/tutorials/elevenlabs-api-pricing
# (June 2026).
ELEVENLABS_CREDIT = 0.0001
ELEVENLABS_CHARACTER = {
    "eleven_multilingual_v2": 0.0001,
    "eleven_v3": 0.0001,
    "eleven_flash_v2_5": 0.00005,
    "eleven_turbo_v2_5": 0.00005,
}
ELEVENLABS_HOUR = 0.22

# What HeyGen charges for a second of video, in US dollars: of its agent, of an avatar, and of an
# avatar in 4k.
# Source: developers.heygen.com/docs/pricing (November 2026).
HEYGEN_AGENT = 0.0333
HEYGEN_AVATAR = 0.0667
HEYGEN_AVATAR_4K = 0.0833

# What People Data Labs charges for a profile in its smallest plan, in US dollars.
# Source: support.peopledatalabs.com, "Pricing" (November 2026).
PDL_MATCH = 0.28
# What Firecrawl charges, in US dollars or in its own credits.
# Source: docs.firecrawl.dev/billing (November 2026). A credit costs most in the smallest plan.
FIRECRAWL_CREDIT = 0.005
FIRECRAWL_SEARCH = 2  # credits for each ten results of a search
FIRECRAWL_JSON = 4  # credits for data that a model extracts from a page
FIRECRAWL_X = 29  # credits for a page of X, in addition to the page

# What Magnific charges, in US dollars. Only its customers see its price page, and answers do not
# report their cost. So these are the last published prices (Mystic's, in 2025), and the prices of
# other sellers of the models (November 2026).
MAGNIFIC_CLASSIC = 0.005  # for a picture
MAGNIFIC_MYSTIC = {"1k": 0.08, "2k": 0.11, "4k": 0.35}  # by resolution
MAGNIFIC_PICTURES = {  # for a picture, by model
    "flux-dev": 0.03,
    "flux-pro": 0.05,
    "hyperflux": 0.01,
    "mystic": MAGNIFIC_MYSTIC["2k"],
    "seedream": 0.03,
    "seedream-v4": 0.04,
}
MAGNIFIC_VIDEO = {  # for a second, by model
    "kling-2.1-std": 0.05,
    "kling-2.1-pro": 0.09,
    "kling-2.5-pro": 0.07,
    "kling-2.6-pro": 0.07,
}
MAGNIFIC_AUDIO = 2  # the factor for sound


def cost(
    model_id: str, input_tokens: int, output_tokens: int, cache_read: int = 0, cache_write: int = 0
) -> int:
    """Return the cost of a step in micro-credits. `input_tokens` includes the cached tokens."""
    price = MODEL_PRICES[model_id]
    uncached = max(0, input_tokens - cache_read - cache_write)
    cached = price.cache_read * cache_read + price.cache_write * cache_write
    prompt, answer = price.input * uncached + cached, price.output * output_tokens
    if input_tokens > price.long_from:
        prompt, answer = 2 * prompt, 1.5 * answer
    return math.ceil(prompt + answer)


def max_cost(model_id: str, prompt_tokens: int, max_output_tokens: int) -> int:
    """Return an upper bound of the cost of a step, in micro-credits.

    `prompt_tokens` is an upper bound as well. The whole prompt may be written to the cache.
    """
    input_tokens = prompt_tokens + MARGIN_TOKENS
    return cost(model_id, input_tokens, max_output_tokens, cache_write=input_tokens)
