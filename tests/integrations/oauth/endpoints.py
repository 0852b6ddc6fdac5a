"""Endpoints of the tests' own: SPEC's five of the office suite, and a vendor without OAuth."""

from typing import Any

from marshmallow import fields

from service.integrations.calling.call import Call
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.endpoint import READ, Access, Endpoint
from service.integrations.declare.example import example
from service.integrations.declare.faults import ScopeMissing, forbidden, limited
from service.integrations.declare.fields import Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.oauth2 import OAuth2, Revocation, Userinfo
from service.integrations.declare.request import Outgoing, get, post
from service.integrations.declare.setting import Setting, address, base_url, secret
from service.integrations.declare.shape import Each, Maybe, Raw, Shape
from service.integrations.declare.task import Job, Task
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import ServiceError

MAIL = ("mail.modify", "mail.full")
ANY_MAIL = (*MAIL, "mail.readonly")

OAUTH = OAuth2(
    client_id=Setting("CLOUDSUITE_CLIENT_ID", "the client's id", required=True),
    client_secret=secret("CLOUDSUITE_CLIENT_SECRET", "the client's secret"),
    authorize_url=address("CLOUDSUITE_AUTHORIZE_URL", "https://accounts.google.com/o/oauth2/auth"),
    token_url=address("CLOUDSUITE_TOKEN_URL", "https://oauth2.googleapis.com/token"),
    revocation=Revocation(
        url=address("CLOUDSUITE_REVOKE_URL", "https://oauth2.googleapis.com/revoke"),
        statuses=(200, 400),
    ),
    userinfo=Userinfo(
        url=address("CLOUDSUITE_USERINFO_URL", "https://openidconnect.googleapis.com/v1/userinfo"),
        account=("sub", "id"),
    ),
    scope_base=base_url("CLOUDSUITE_SCOPE_BASE", "https://www.googleapis.com/auth"),
    scope_names={"mail.full": "https://mail.example/", "mail.modify": "gmail.modify"},
    scope_names_setting=Setting("CLOUDSUITE_SCOPE_NAMES", "neutral=suffix pairs"),
    identity=("openid", "userinfo.email", "userinfo.profile"),
    incremental=True,
    flags={
        "mailSend": (*MAIL, "mail.send", "mail.compose"),
        "mailRead": ANY_MAIL,
        "mailModify": MAIL,
        "calendar": ("calendar", "calendar.events", "calendar.readonly"),
        "drive": ("drive", "drive.readonly", "drive.file"),
        "contacts": ("contacts", "contacts.readonly"),
    },
    aggregates={"mail": ("mailSend", "mailRead")},
    parameters={"access_type": "offline", "include_granted_scopes": "true", "prompt": "consent"},
    hint_parameter="login_hint",
)


def refusal(reply: Reply) -> ServiceError | None:
    """The reasons of Google's 403 that the tests use."""
    if reply.status != 403 or not isinstance(reply.body, dict):
        return None
    match reply.body["error"]["errors"][0]["reason"]:
        case "insufficientPermissions":
            return ScopeMissing()
        case "userRateLimitExceeded":
            return limited(reply)
    return forbidden()


SUITE = Vendor(
    integration="cloudsuite",
    name="suite",
    bases=tuple(
        base_url(f"CLOUDSUITE_{api}_BASE_URL", "https://api.example")
        for api in ("MAIL", "CALENDAR", "DRIVE", "CONTACTS")
    ),
    oauth=OAUTH,
    refusal=refusal,
)
PROBE = Vendor(
    integration="probe", name="probe", bases=(base_url("PROBE_BASE_URL", "https://probe.example"),)
)

DOCS = "https://example.com/docs"
GIVES = Shape(path=Maybe("path"), account=Maybe("account"), asked=Maybe(Raw("asked")))


class Mail(Parameters):
    to = Words("To whom.", to="json.to", required=True)
    subject = Words("What about.", to="json.subject", required=True)
    content = Words("The text.", to="json.content", required=True)


class Query(Parameters):
    q = Words("What to look for.", to="query.q", least=0)


class Search(Parameters):
    q = Words("What to look for.", to="json.q", least=0)
    wide = fields.Dict(metadata={"description": "More.", "to": ("json.wide",), "theirs": None})


def whole_answer(call: Call, request: Outgoing) -> Any:
    """The vendor's answer as it is."""
    return call.send(request)


def facts(path: str) -> dict[str, Any]:
    """What all of these endpoints have alike."""
    return {"docs": DOCS, "examples": (example({}, path, {}),)}


def listing(name: str, api: str, scope: str, *accepted: str) -> Endpoint:
    return Endpoint(
        name=f"cloudsuite/{name}",
        vendor=SUITE,
        category="suite",
        summary="List what there is.",
        takes=Query,
        gives=GIVES,
        asks=get(f"/{api}", base=f"CLOUDSUITE_{api.upper()}_BASE_URL"),
        run=whole_answer,
        access=READ,
        scope=scope,
        accepted=accepted,
        **facts(f"GET /{api}"),
    )


def task(answer: Any) -> Task:
    """Of the first answer, and of a poll's, which has no id."""
    state, facts = find(answer, "state") or "running", find(answer, "facts") or {}
    known = {"dollars": find(answer, "dollars"), "facts": facts}
    return Task(find(answer, "id") or "", state, find(answer, "result"), **known)


ENDPOINTS = (
    Endpoint(
        name="cloudsuite/mail-send",
        vendor=SUITE,
        category="suite",
        summary="Send a mail.",
        takes=Mail,
        gives=GIVES,
        asks=post("/send"),
        run=whole_answer,
        access=Access(),
        scope="mail.modify",
        accepted=("mail.full",),
        credits=2,
        aliases=("send-email",),
        **facts("POST /send"),
    ),
    Endpoint(
        name="cloudsuite/calendar-list-events",
        vendor=SUITE,
        category="suite",
        summary="List events.",
        takes=Query,
        gives=Shape(events=Each("items", Raw(""), default=())),
        asks=get("/events", base="CLOUDSUITE_CALENDAR_BASE_URL"),
        access=READ,
        scope="calendar.events",
        accepted=("calendar",),
        **facts("GET /events"),
    ),
    listing("mail-list", "mail", "mail.readonly", *MAIL),
    listing("drive-list", "drive", "drive.readonly", "drive"),
    listing("contacts-list", "contacts", "contacts.readonly", "contacts"),
    Endpoint(
        name="probe-search",
        vendor=PROBE,
        category="search",
        summary="Search for something.",
        takes=Search,
        gives=GIVES,
        asks=post("/probe/search"),
        run=whole_answer,
        credits=3,
        **facts("POST /probe/search"),
    ),
    Endpoint(
        name="probe-task",
        vendor=PROBE,
        category="search",
        summary="Begin a long search.",
        takes=Search,
        gives=GIVES,
        asks=post("/probe/tasks"),
        credits=5,
        job=Job(task=task, poll=get("/probe/tasks/{id}"), wait=0, limit=600, interval=0.05),
        **facts("POST /probe/tasks"),
    ),
)


def catalog(*_further: Any) -> Catalog:
    return Catalog(ENDPOINTS)
