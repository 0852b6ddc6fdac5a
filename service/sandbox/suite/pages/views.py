"""The consent page, and the page on which one can see, and upset, what the app was allowed.

Plain forms, no script. The request for consent stays in the address, where it is read again when
the form comes back: what the form itself can say is only who, which of the scopes, and whether.
"""

from urllib.parse import urlencode

from flask import (
    Blueprint,
    Response,
    current_app,
    make_response,
    redirect,
    render_template,
    request,
)
from flask import send_from_directory as send

from service.database import write_transaction
from service.edge import answers
from service.extensions import db
from service.sandbox.suite import contents, tokens
from service.sandbox.suite.client import ACCOUNTS, IDENTITY, PAGES, WORDS
from service.sandbox.suite.models import SuiteAccess
from service.sandbox.suite.pages.asking import Asking, Unusable, asking

HEADERS = {
    "X-Sandbox": "1",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
}
SWITCHES = {
    "expire": tokens.expire,
    "revoke": tokens.forget,
    "short": lambda session, account: tokens.set_life(session, account, tokens.SHORT),
    "long": lambda session, account: tokens.set_life(session, account, tokens.HOUR),
}

PAGE = {"text/html": {"type": "string"}}
FORM = {"type": "object", "additionalProperties": {"type": "string"}}

pages = Blueprint("suite_pages", __name__, url_prefix=PAGES, template_folder="templates")


@pages.after_request
def protect(response: Response) -> Response:
    response.headers.update(HEADERS)
    return response


@pages.get("/authorize")
@answers(None, others={400: PAGE})
def consent() -> Response:
    """The sandbox's consent page: which account, and which of the scopes"""
    try:
        asked = _asking()
    except Unusable as error:
        return _unusable(error)
    shown = {"asked": asked, "accounts": ACCOUNTS.values(), "words": WORDS}
    return make_response(render_template("suite/consent.html", **shown))


@pages.post("/authorize")
@answers(None, 303, empty=True, others={400: PAGE}, form=FORM)
def decide() -> Response:
    """The consent page's form: back to the app, with a code or without"""
    try:
        asked = _asking()
    except Unusable as error:
        return _unusable(error)
    account = ACCOUNTS.get(request.form.get("account", ""))
    if not _from_here() or (account is None and request.form.get("decision") == "allow"):
        return _unusable(Unusable("This form is not complete, or not from this page."))
    if account is None or request.form.get("decision") != "allow":
        return _back(asked, error="access_denied")
    ticked = [name for name in asked.choices if name in request.form.getlist("scope")]
    scopes = [*IDENTITY, *ticked]
    with write_transaction() as session:
        contents.fill(session, account)
        code = tokens.allow(session, account.id, scopes, asked.challenge, asked.union)
    return _back(asked, code=code)


@pages.get("")
@answers(None)
def overview() -> Response:
    """What each account has allowed the app, and switches for trying failures"""
    known = [
        (account, db.session.get(SuiteAccess, account.id), tokens.listed(account.id))
        for account in ACCOUNTS.values()
    ]
    shown = {"known": known, "words": WORDS, "short": tokens.SHORT}
    return make_response(render_template("suite/overview.html", **shown))


@pages.post("")
@answers(None, 303, empty=True, others={400: PAGE}, form=FORM)
def switch() -> Response:
    """One of the switches: expire, revoke, short, long"""
    account = request.form.get("account", "")
    act = SWITCHES.get(request.form.get("switch", ""))
    if act is None or account not in ACCOUNTS or not _from_here():
        return _unusable(Unusable("There is no such switch."))
    with write_transaction() as session:
        act(session, account)
    return make_response(redirect(PAGES, 303))


@pages.get("/suite.css")
@answers(None, media_type="text/css")
def style() -> Response:
    """How these pages look"""
    return send(pages.root_path, "suite.css")


def _asking() -> Asking:
    """Raises `Unusable`."""
    return asking(request.args.to_dict(), current_app.extensions["suite"])


def _from_here() -> bool:
    """Whether a form was sent by a page of ours; a client that is no browser doesn't say."""
    return request.headers.get("Sec-Fetch-Site", "same-origin") in ("same-origin", "none")


def _back(asked: Asking, **outcome: str) -> Response:
    query = urlencode({**outcome, "state": asked.state})
    return make_response(redirect(f"{asked.redirect}?{query}", 303))


def _unusable(error: Unusable) -> Response:
    return make_response(render_template("suite/unusable.html", reason=str(error)), 400)
