"""Products of a shop, with their prices: the engine `amazon`."""

from typing import Any

from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import READ, Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Choice, Count, Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.request import get
from service.integrations.declare.shape import Bool, Each, Int, Made, Maybe, Num, Shape, Values
from service.integrations.vendors.serpapi.vendor import DOCS, SERPAPI


class Products(Parameters):
    query = Words("What to look for.", most=200, to="query.k", required=True)
    domain = Words(
        "The shop's domain.",
        pattern=r"^amazon\.[a-z]{2,3}(\.[a-z]{2})?$", to="query.amazon_domain",
        default="amazon.com",
    )  # fmt: skip
    language = Words(
        "The language of the shop's pages, such as `en_US`.",
        pattern="^[a-z]{2}_[A-Z]{2}$", to="query.language",
    )  # fmt: skip
    sort = Choice(
        "relevanceblender", "price-asc-rank", "price-desc-rank", "review-rank", "date-desc-rank",
        "exact-aware-popularity-rank", about="What to sort by.",
        to="query.s", default="relevanceblender",
    )  # fmt: skip
    page = Count("The page's number.", least=1, most=20, to="query.page", default=1)


def _url(product: Any, values: Values) -> str | None:
    """Return the address, without the search's own marks if there is such an address."""
    url = find(product, "link_clean") or find(product, "link")
    return url if isinstance(url, str) else None


PRODUCT = Shape(
    id="asin", title=Maybe("title"), url=Made(Maybe(""), _url), imageUrl=Maybe("thumbnail"),
    price=Maybe(Num("extracted_price")), priceText=Maybe("price"), oldPrice=Maybe("old_price"),
    rating=Maybe(Num("rating")), reviews=Maybe(Int("reviews")), prime=Maybe(Bool("prime")),
)  # fmt: skip

search = Endpoint(
    name="shop-search", vendor=SERPAPI, category="data",
    summary="Products that match words, with their prices.",
    docs=f"{DOCS}/amazon-search-api", access=READ, seconds=60,
    cache=Cache(seconds=600, shared=True),
    takes=Products, asks=get("/search.json", query={"engine": "amazon"}),
    gives=Shape(
        products=Each(
            "organic_results", PRODUCT, where=lambda item: bool(find(item, "asin")), default=()
        ),
        page=Made(Int(""), lambda answer, values: values["page"]),
    ),
    examples=(Example({"query": "coffee", "language": "en_US"}, (Exchange(
        "GET /search.json?engine=amazon&k=coffee&amazon_domain=amazon.com&language=en_US"
        "&s=relevanceblender&page=1",
        {
            "search_metadata": {"status": "Success"},
            "organic_results": [{
                "position": 1, "asin": "B000KEJMRI", "title": "Ground Coffee, 12 oz",
                "link": "https://www.amazon.com/Ground-Coffee/dp/B000KEJMRI/ref=sr_1_1",
                "link_clean": "https://www.amazon.com/Ground-Coffee/dp/B000KEJMRI/",
                "thumbnail": "https://m.media-amazon.com/images/I/61.jpg", "rating": 4.5,
                "reviews": 5120, "price": "$8.99", "extracted_price": 8.99, "old_price": "$10.49",
                "prime": True, "delivery": ["FREE delivery tomorrow"],
            }],
        },
        when={"query.engine": "amazon"},
    ),)),),
)  # fmt: skip

ENDPOINTS = (search,)
