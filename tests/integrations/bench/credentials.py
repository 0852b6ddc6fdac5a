"""The credentials in a request to each vendor, stated a second time beside its declaration.

By vendor: the text of each header, or `?name` of the query; `{SETTING}` is a setting's value. An
OAuth vendor's requests have the user's token, and are not listed. Vendors without a key have `{}`.
"""

from collections.abc import Mapping

CREDENTIALS: Mapping[str, Mapping[str, str]] = {
    "api-baseball": {"x-apisports-key": "{APISPORTS_API_KEY}"},
    "api-basketball": {"x-apisports-key": "{APISPORTS_API_KEY}"},
    "api-football": {"x-apisports-key": "{APISPORTS_API_KEY}"},
    "api-nfl": {"x-apisports-key": "{APISPORTS_API_KEY}"},
    "apify": {"authorization": "Bearer {APIFY_TOKEN}"},
    "brave": {"x-subscription-token": "{BRAVE_SEARCH_API_KEY}"},
    "coingecko": {"x-cg-demo-api-key": "{COINGECKO_API_KEY}"},
    "elevenlabs": {"xi-api-key": "{ELEVENLABS_API_KEY}"},
    "exa": {"x-api-key": "{EXA_API_KEY}"},
    "finnhub": {"x-finnhub-token": "{FINNHUB_API_KEY}"},
    "firecrawl": {"authorization": "Bearer {FIRECRAWL_API_KEY}"},
    "github": {"authorization": "Bearer {GITHUB_TOKEN}"},
    "google-places": {"x-goog-api-key": "{GOOGLE_PLACES_API_KEY}"},
    "heygen": {"x-api-key": "{HEYGEN_API_KEY}"},
    "jolpica": {},
    "livekit": {"authorization": "Bearer JWT of {LIVEKIT_API_KEY}"},
    "magnific": {"x-magnific-api-key": "{MAGNIFIC_API_KEY}"},
    "mta": {},
    "nasa": {"?api_key": "{NASA_API_KEY}"},
    "newsapi": {"x-api-key": "{NEWSAPI_API_KEY}"},
    "open-meteo": {"?apikey": "{OPEN_METEO_API_KEY}"},
    "openai": {"authorization": "Bearer {OPENAI_API_KEY}"},
    "people-data-labs": {"x-api-key": "{PDL_API_KEY}"},
    "perplexity": {"authorization": "Bearer {PERPLEXITY_API_KEY}"},
    "polymarket": {},
    "semantic-scholar": {"x-api-key": "{SEMANTIC_SCHOLAR_API_KEY}"},
    "serpapi": {"?api_key": "{SERPAPI_API_KEY}"},
    "slack": {"authorization": "Bearer {SLACK_BOT_TOKEN}"},
    "tavily": {"authorization": "Bearer {TAVILY_API_KEY}"},
    "ticketmaster": {"?apikey": "{TICKETMASTER_API_KEY}"},
    "wikimedia": {"user-agent": "chat-integration-service/0.1.0 ({WIKIMEDIA_CONTACT})"},
    "youtube": {"?key": "{YOUTUBE_API_KEY}"},
}
