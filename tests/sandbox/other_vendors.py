"""What an extension declares beside the built-in vendors with OAuth.

TikTok has comma-separated scopes, a `client_key`, no PKCE, and the account's id in its token
answers; here it gets a second endpoint, with a scope of its own. `clips` is invented: it has a
hexadecimal challenge, nested token answers, and userinfo with a query.
"""

from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import example
from service.integrations.declare.fields import Parameters
from service.integrations.declare.oauth2 import OAuth2, TokenAnswer, Userinfo
from service.integrations.declare.request import get
from service.integrations.declare.setting import Setting, address, base_url, secret
from service.integrations.declare.shape import Maybe, Shape
from service.integrations.declare.vendor import Vendor
from service.integrations.vendors.tiktok import OK, TIKTOK

DOCS = "https://clips.example/docs"

CLIPS = Vendor(
    integration="clips",
    name="clips",
    bases=(base_url("CLIPS_BASE_URL", "https://clips.example"),),
    oauth=OAuth2(
        client_id=Setting("CLIPS_CLIENT_ID", "the app's id", required=True),
        client_secret=secret("CLIPS_CLIENT_SECRET", "the app's secret"),
        authorize_url=address("CLIPS_AUTHORIZE_URL", "https://clips.example/authorize"),
        token_url=address("CLIPS_TOKEN_URL", "https://clips.example/token"),
        userinfo=Userinfo(
            url=address("CLIPS_USERINFO_URL", "https://clips.example/me"),
            account=("data.user.open_id",),
            email="data.user.mail",
            query={"fields": "open_id,mail"},
        ),
        tokens=TokenAnswer(within="data.tokens"),
        pkce="hex",
        identity=("user.info.basic",),
        scope_names={"clips.read": "clip_read"},
        flags={"list": ("clips.read",)},
        aggregates={"any": ("list",)},
    ),
)

ENDPOINTS = (
    Endpoint(
        name="shortvideo-list",
        vendor=TIKTOK,
        category="social",
        summary="Videos of the user's.",
        docs=DOCS,
        takes=Parameters,
        gives=Shape(first=Maybe("first")),
        asks=get("/v2/videos"),
        access=FREE_READ,
        scope="video.list",
        examples=(example({}, "GET /v2/videos", {"first": "v1", "error": OK}),),
    ),
    Endpoint(
        name="clips-list",
        vendor=CLIPS,
        category="social",
        summary="Clips of the user's.",
        docs=DOCS,
        takes=Parameters,
        gives=Shape(first=Maybe("first")),
        asks=get("/clips"),
        access=FREE_READ,
        scope="clips.read",
        examples=(example({}, "GET /clips", {"first": "c1"}),),
    ),
)
VENDORS = (TIKTOK, CLIPS)
