"""Endpoints of the tests' own: SPEC's five of the office suite, and a vendor without OAuth."""

from typing import Any

from marshmallow import Schema, fields

from service.errors import ServiceError
from service.fields import Text
from service.integrations.call import Call
from service.integrations.catalog import (
    Catalog,
    Endpoint,
    Example,
    Job,
    OAuth2,
    Reply,
    Task,
    Vendor,
    endpoint,
)
from service.integrations.faults import ScopeMissing, forbidden, limited
from service.integrations.shape import as_object, at, need

MAIL = ("mail.modify", "mail.full")
ANY_MAIL = (*MAIL, "mail.readonly")

OAUTH = OAuth2(
    prefix="CLOUDSUITE",
    authorize_url="https://accounts.google.com/o/oauth2/v2/auth",
    token_url="https://oauth2.googleapis.com/token",
    revoke_url="https://oauth2.googleapis.com/revoke",
    userinfo_url="https://openidconnect.googleapis.com/v1/userinfo",
    scope_base="https://www.googleapis.com/auth",
    scope_names={"mail.full": "https://mail.example/", "mail.modify": "gmail.modify"},
    flags={
        "mailSend": (*MAIL, "mail.send", "mail.compose"),
        "mailRead": ANY_MAIL,
        "mailModify": MAIL,
        "calendar": ("calendar", "calendar.events", "calendar.readonly"),
        "drive": ("drive", "drive.readonly", "drive.file"),
        "contacts": ("contacts", "contacts.readonly"),
    },
    parameters={"access_type": "offline", "include_granted_scopes": "true", "prompt": "consent"},
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
    base_urls={
        f"CLOUDSUITE_{api}_BASE_URL": "https://api.example"
        for api in ("MAIL", "CALENDAR", "DRIVE", "CONTACTS")
    },
    oauth=OAUTH,
    refusal=refusal,
)
PROBE = Vendor("probe", "probe", {"PROBE_BASE_URL": "https://probe.example"})

EXAMPLES = (Example("GET", "/", {}),)
DOCS = "https://example.com/docs"


class Mail(Schema):
    to = Text(required=True)
    subject = Text(required=True)
    content = Text(required=True)


class Query(Schema):
    q = Text()
    wide = fields.Dict()


def listing(name: str, api: str, scope: str, *accepted: str) -> Endpoint:
    def run(call: Call, **params: Any) -> Any:
        """List what there is"""
        return call.get(f"/{api}", params, base=f"CLOUDSUITE_{api.upper()}_BASE_URL")

    facts = {"scope": scope, "accepted": accepted, "examples": EXAMPLES, "reads": True}
    return endpoint(f"cloudsuite/{name}", SUITE, Query(), "suite", DOCS, **facts)(run)


def send(call: Call, **params: Any) -> Any:
    """Send a mail"""
    return call.post("/send", params)


def calendar(call: Call, **params: Any) -> Any:
    """List events"""
    told = call.get("/events", params, base="CLOUDSUITE_CALENDAR_BASE_URL")
    return {"events": at(as_object(told), "items") or []}


def search(call: Call, **params: Any) -> Any:
    """Search for something"""
    return call.post("/probe/search", params)


def poll(call: Call, task_id: str) -> Task:
    told = call.get(f"/probe/tasks/{task_id}")
    return Task(task_id, need(told, "state"), at(told, "result"))


def begin(call: Call, **params: Any) -> Task:
    """Begin a long search"""
    told = call.post("/probe/tasks", params)
    return Task(need(told, "id"), at(told, "state") or "running", at(told, "result"))


ENDPOINTS = (
    endpoint(
        "cloudsuite/mail-send",
        SUITE,
        Mail(),
        "suite",
        DOCS,
        examples=EXAMPLES,
        scope="mail.modify",
        accepted=("mail.full",),
        credits=2,
        aliases=("send-email",),
    )(send),
    endpoint(
        "cloudsuite/calendar-list-events",
        SUITE,
        Query(),
        "suite",
        DOCS,
        examples=EXAMPLES,
        scope="calendar.events",
        accepted=("calendar",),
        reads=True,
    )(calendar),
    listing("mail-list", "mail", "mail.readonly", *MAIL),
    listing("drive-list", "drive", "drive.readonly", "drive"),
    listing("contacts-list", "contacts", "contacts.readonly", "contacts"),
    endpoint("probe-search", PROBE, Query(), "search", DOCS, examples=EXAMPLES, credits=3)(search),
    endpoint(
        "probe-task",
        PROBE,
        Query(),
        "search",
        DOCS,
        examples=EXAMPLES,
        credits=5,
        job=Job(poll, wait=0, limit=600, interval=0.05),
    )(begin),
)


def catalog() -> Catalog:
    return Catalog(ENDPOINTS)
