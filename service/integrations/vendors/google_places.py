"""Google Places: places and businesses by text. The requested fields decide the price.

Source: developers.google.com/maps/documentation/places/web-service/text-search.
Google's terms forbid keeping answers (developers.google.com/maps/documentation/places/web-service/
policies), so there is no cache.
"""

from typing import Any

from marshmallow import ValidationError, post_load, validates_schema

from service.integrations.declare.credential import HeaderKey
from service.integrations.declare.endpoint import READ, Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.faults import limited
from service.integrations.declare.fields import (
    Amount,
    Choice,
    Count,
    Parameters,
    Several,
    Switch,
    Words,
)
from service.integrations.declare.json_paths import find
from service.integrations.declare.request import post
from service.integrations.declare.says import Says
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.shape import Bool, Each, Int, Maybe, Num, Shape
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import ServiceError, UpstreamFailed

DOCS = "https://developers.google.com/maps/documentation/places/web-service/text-search"
QUOTA = {"RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"}
# Rating, website, price level and opening hours need the Enterprise price.
MASK = {"X-Goog-FieldMask": (
    "places.id,places.displayName,places.formattedAddress,places.location,places.rating,"
    "places.userRatingCount,places.primaryType,places.priceLevel,places.googleMapsUri,"
    "places.websiteUri,places.currentOpeningHours.openNow,nextPageToken"
)}  # fmt: skip


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. A wrong key is a 400, and a quota may be a 403."""
    reasons = _reasons(reply.body)
    if reply.status in (403, 429) and reasons & QUOTA:
        return limited(reply)
    if reply.status == 400 and "API_KEY_INVALID" in reasons:
        return UpstreamFailed(upstreamStatus=400)
    return None


def _reasons(body: Any) -> set[str]:
    details = find(body, "error.details")
    items = details if isinstance(details, list) else []
    return {str(find(one, "reason")) for one in items} | {str(find(body, "error.status"))}


GOOGLE_PLACES = Vendor(
    integration="places",
    name="google-places",
    bases=(base_url("GOOGLE_PLACES_BASE_URL", "https://places.googleapis.com"),),
    credential=HeaderKey(
        secret("GOOGLE_PLACES_API_KEY", "a key with the Places API (New)"), "X-Goog-Api-Key"
    ),
    refusal=_refusal,
)


class Search(Parameters):
    query = Words(
        "What to look for, such as `pizza in Boston`.", most=300, to="json.textQuery", required=True
    )
    latitude = Amount(
        "Degrees to the north of a point to prefer places near.", least=-90, most=90,
        to="json.locationBias.circle.center.latitude",
    )  # fmt: skip
    longitude = Amount(
        "Degrees to the east of that point.", least=-180, most=180,
        to="json.locationBias.circle.center.longitude",
    )  # fmt: skip
    radiusMeters = Amount(
        "How near, in meters; without a point it has no effect.", least=0, most=50_000,
        to="json.locationBias.circle.radius", default=5000,
    )  # fmt: skip
    type = Words(
        "A type of place to prefer, such as `restaurant`; others may be there too.",
        pattern=r"^[a-z_]{1,60}$", to="json.includedType",
    )  # fmt: skip
    openNow = Switch("Only what is open now.", to="json.openNow")
    minRating = Amount(
        "Only what is rated so well or better, in steps of 0.5.", least=0, most=5,
        to="json.minRating",
    )  # fmt: skip
    priceLevels = Several(
        Choice(
            "PRICE_LEVEL_INEXPENSIVE", "PRICE_LEVEL_MODERATE",
            "PRICE_LEVEL_EXPENSIVE", "PRICE_LEVEL_VERY_EXPENSIVE",
        ),
        "Only these levels of prices.", least=1, most=4, to="json.priceLevels",
    )  # fmt: skip
    limit = Count("Places of a page.", least=1, most=20, to="json.pageSize", default=10)
    language = Words(
        "The language of names and addresses.",
        pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", to="json.languageCode", default="en",
    )  # fmt: skip
    region = Words(
        "The country that the asker is in, as two letters.",
        pattern="^[A-Za-z]{2}$", to="json.regionCode",
    )  # fmt: skip
    cursor = Words(
        "`nextCursor` of the page before; the other parameters stay the same.",
        most=4096, to="json.pageToken",
    )  # fmt: skip

    @validates_schema
    def check_point(self, data: dict[str, Any], **kwargs: Any) -> None:
        if ("latitude" in data) != ("longitude" in data):
            raise ValidationError("Give both latitude and longitude.", "latitude")

    @post_load
    def drop_radius(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Drop the radius without a point, because Google refuses a circle without a center."""
        has_point = "latitude" in data
        return {n: value for n, value in data.items() if has_point or n != "radiusMeters"}


PLACE = Shape(
    id="id", name=Maybe("displayName.text"), address=Maybe("formattedAddress"),
    latitude=Maybe(Num("location.latitude")), longitude=Maybe(Num("location.longitude")),
    rating=Maybe(Num("rating")), reviews=Maybe(Int("userRatingCount")), type=Maybe("primaryType"),
    priceLevel=Maybe("priceLevel"), mapsUrl=Maybe("googleMapsUri"), website=Maybe("websiteUri"),
    openNow=Maybe(Bool("currentOpeningHours.openNow")),
)  # fmt: skip

search = Endpoint(
    name="search-places", vendor=GOOGLE_PLACES, category="science",
    summary="Places and businesses that match a text.",
    says=Says("Looking for places: “{query}”", "Looked for places: “{query}”, {places:place}"),
    docs=DOCS, access=READ, seconds=20,
    takes=Search, asks=post("/v1/places:searchText", headers=MASK, repeatable=True),
    # Google leaves the list out if nothing matches.
    gives=Shape(places=Each("places", PLACE, default=()), nextCursor=Maybe("nextPageToken")),
    examples=(Example({
        "query": "vegetarian food", "latitude": -33.867, "longitude": 151.207, "limit": 1,
        "type": "restaurant", "openNow": True, "minRating": 4, "region": "AU",
        "priceLevels": ["PRICE_LEVEL_INEXPENSIVE", "PRICE_LEVEL_MODERATE"], "cursor": "AcnlKN0",
    }, (Exchange(
        "POST /v1/places:searchText",
        {"places": [{
            "id": "ChIJs5ydyTiuEmsR0fRSlU0C7k0",
            "displayName": {"text": "Peace Harmony", "languageCode": "en"},
            "formattedAddress": "29 King St, Sydney NSW 2000, Australia",
            "location": {"latitude": -33.8676, "longitude": 151.2034}, "rating": 4.4,
            "userRatingCount": 673, "primaryType": "vegetarian_restaurant",
            "priceLevel": "PRICE_LEVEL_INEXPENSIVE",
            "googleMapsUri": "https://maps.google.com/?cid=5615640205166604753",
            "websiteUri": "http://peaceharmony.example/", "currentOpeningHours": {"openNow": True},
        }], "nextPageToken": "AcnlKN1"},
        body={
            "textQuery": "vegetarian food", "includedType": "restaurant", "openNow": True,
            "minRating": 4.0, "pageSize": 1, "languageCode": "en", "regionCode": "AU",
            "priceLevels": ["PRICE_LEVEL_INEXPENSIVE", "PRICE_LEVEL_MODERATE"],
            "pageToken": "AcnlKN0",
            "locationBias": {"circle": {
                "center": {"latitude": -33.867, "longitude": 151.207}, "radius": 5000.0,
            }},
        },
        sends_headers=MASK,
    ),)),),
)  # fmt: skip

ENDPOINTS = (search,)
