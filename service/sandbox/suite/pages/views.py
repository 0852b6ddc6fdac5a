"""The suite's consent page, and a page that shows the app's grants and can cause failures.

The pages have plain forms and no script. The authorization request stays in the address and is read
again when the form is submitted. The form contains only the account, the scopes and the decision.
"""

from collections.abc import Callable
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
from sqlalchemy.orm import Session

from service.database.access import write_transaction
from service.extensions import db
from service.sandbox.suite import contents, tokens
from service.sandbox.suite.client import ACCOUNTS, PAGES, SUITE_CLIENTS, Client
from service.sandbox.suite.models import SuiteAccess
from service.sandbox.suite.pages.authorization import (
    AuthorizationError,
    AuthorizationRequest,
    read_authorization,
)
from service.web.edge import answers

HEADERS = {
    "X-Sandbox": "1",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
}
SWITCHES: dict[str, Callable[[Session, str], None]] = {
    "expire": tokens.expire,
    "revoke": tokens.forget,
    "short": lambda session, account: tokens.set_life(session, account, tokens.SHORT),
    "long": lambda session, account: tokens.set_life(session, account, tokens.HOUR),
}

PAGE = {"text/html": {"type": "string"}}
FORM = {"type": "object", "additionalProperties": {"type": "string"}}

pages = Blueprint(
    "suite_pages", __name__, url_prefix=f"{PAGES}/<integration>", template_folder="templates"
)


@pages.after_request
def protect(response: Response) -> Response:
    response.headers.update(HEADERS)
    return response


@pages.get("/authorize")
@answers(None, others={400: PAGE})
def consent(integration: str) -> Response:
    """Show the sandbox's consent page, with the accounts and the scopes"""
    client = _client(integration)
    try:
        authorization = _authorization_request(client)
    except AuthorizationError as error:
        return _error_page(error)
    context = {"authorization": authorization, "client": client}
    return make_response(render_template("suite/consent.html", **context))


@pages.post("/authorize")
@answers(None, 303, empty=True, others={400: PAGE}, form=FORM)
def decide(integration: str) -> Response:
    """Receive the consent page's form: redirects to the app with a code or an error"""
    client = _client(integration)
    try:
        authorization = _authorization_request(client)
    except AuthorizationError as error:
        return _error_page(error)
    account = client.accounts.get(request.form.get("account", ""))
    if not _is_own_form() or (account is None and request.form.get("decision") == "allow"):
        return _error_page(
            AuthorizationError("This form is incomplete or was not sent from this page.")
        )
    if account is None or request.form.get("decision") != "allow":
        return _redirect_back(client, authorization, error="access_denied")
    ticked = [name for name in authorization.choices if name in request.form.getlist("scope")]
    scopes = [*client.identity, *ticked]
    with write_transaction() as session:
        if account.id in ACCOUNTS:
            contents.fill(session, account)
        code = tokens.allow(
            session, account.id, scopes, authorization.challenge, authorization.union
        )
    return _redirect_back(client, authorization, code=code)


@pages.get("")
@answers(None)
def overview(integration: str) -> Response:
    """Show the scopes that each account has granted, with switches that cause failures"""
    client = _client(integration)
    accesses = [
        (account, db.session.get(SuiteAccess, account.id), tokens.list_active(account.id))
        for account in client.accounts.values()
    ]
    context = {"accesses": accesses, "words": client.words, "short": tokens.SHORT}
    return make_response(render_template("suite/overview.html", **context))


@pages.post("")
@answers(None, 303, empty=True, others={400: PAGE}, form=FORM)
def switch(integration: str) -> Response:
    """Use one of the switches: expire, revoke, short, long"""
    client, account = _client(integration), request.form.get("account", "")
    change = SWITCHES.get(request.form.get("switch", ""))
    if change is None or account not in client.accounts or not _is_own_form():
        return _error_page(AuthorizationError("There is no such switch."))
    with write_transaction() as session:
        change(session, account)
    return make_response(redirect(client.pages, 303))


@pages.get("/suite.css")
@answers(None, media_type="text/css")
def style(integration: str) -> Response:
    """Return the style sheet of these pages"""
    return send(pages.root_path, "suite.css")


def _client(integration: str) -> Client:
    """Return the app's registration at a vendor. Raises `NotFound`."""
    return SUITE_CLIENTS.of(current_app).of(integration)


def _authorization_request(client: Client) -> AuthorizationRequest:
    """Return the authorization request in the address. Raises `AuthorizationError`."""
    return read_authorization(request.args.to_dict(), client)


def _is_own_form() -> bool:
    """Return whether one of our pages sent the form; clients without the header are accepted."""
    return request.headers.get("Sec-Fetch-Site", "same-origin") in ("same-origin", "none")


def _redirect_back(client: Client, authorization: AuthorizationRequest, **outcome: str) -> Response:
    query = urlencode({**outcome, "state": authorization.state, "iss": client.issuer})
    return make_response(redirect(f"{authorization.redirect}?{query}", 303))


def _error_page(error: AuthorizationError) -> Response:
    return make_response(render_template("suite/error.html", reason=str(error)), 400)
