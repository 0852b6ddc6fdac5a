"""The routes of the authorization servers for the app: tokens, revocation, userinfo.

Each server uses the form that its vendor declares.
"""

import secrets
from typing import Any

from flask import Blueprint, Flask, Response, jsonify, make_response, request

from service.integrations.declare.json_paths import put_at
from service.sandbox.suite import tokens
from service.sandbox.suite.client import OAUTH, Client, Clients
from service.web.errors import NotFound


def blueprint(app: Flask, clients: Clients) -> Blueprint:
    """Return the blueprint. `app` is the service, whose database has the state."""
    oauth = Blueprint("suite_oauth", __name__, url_prefix=f"{OAUTH}/<integration>")

    @oauth.errorhandler(NotFound)
    def unknown(_error: NotFound) -> Response:
        return _refusal("not_found", 404)

    @oauth.post("/token")
    def token(integration: str) -> Response:
        client, form = clients.of(integration), request.form.to_dict()
        if not _is_client(client, form):
            return _refusal("invalid_client", 401)
        with app.app_context():
            pair = _exchange(client, form)
        return _token_answer(client, pair) if pair else _refusal("invalid_grant", 400)

    @oauth.post("/revoke")
    def revoke(integration: str) -> Response:
        client, form = clients.of(integration), request.form.to_dict()
        revocation = client.oauth.revocation
        if revocation is None:
            raise NotFound()
        if revocation.has_client and not _is_client(client, form):
            return _refusal("invalid_client", 401)
        with app.app_context():
            is_revoked = tokens.revoke(form.get(revocation.token, ""), client.accounts)
        return make_response(jsonify({}), 200) if is_revoked else _refusal("invalid_token", 400)

    @oauth.route("/userinfo", methods=["GET", "POST"])
    def userinfo(integration: str) -> Response:
        client = clients.of(integration)
        declared = client.oauth.userinfo
        if declared is None or request.method != declared.method:
            raise NotFound()
        bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
        with app.app_context():
            holder = tokens.holder(bearer, client.accounts)
        if holder is None or not set(client.identity) <= holder.scopes:
            return _refusal("invalid_request", 401)
        account, answer = client.accounts[holder.account], dict[str, Any]()
        put_at(answer, declared.account[0], f"sandbox-{account.id}")
        if declared.email:
            put_at(answer, declared.email, account.email)
        return make_response(jsonify(answer), 200)

    return oauth


def _is_client(client: Client, form: dict[str, str]) -> bool:
    secret = form.get(client.oauth.secret_parameter, "").encode()
    is_right = secrets.compare_digest(secret, client.secret.encode())
    return is_right and form.get(client.oauth.client_parameter) == client.id


def _exchange(client: Client, form: dict[str, str]) -> tokens.TokenPair | None:
    match form.get("grant_type"):
        case "authorization_code" if form.get("redirect_uri") == client.redirect:
            challenge = tokens.challenge(client.oauth.pkce, form.get("code_verifier", ""))
            return tokens.redeem(form.get("code", ""), challenge, client.accounts)
        case "refresh_token":
            return tokens.refresh(form.get("refresh_token", ""), client.accounts)
    return None


def _token_answer(client: Client, pair: tokens.TokenPair) -> Response:
    fields: dict[str, Any] = {
        "access_token": pair.access,
        "refresh_token": pair.refresh,
        "expires_in": pair.seconds,
        "scope": client.scope(pair.scopes),
        "token_type": "Bearer",
    }
    where = client.oauth.tokens
    if where.account:
        put_at(fields, where.account, f"sandbox-{pair.account}")
    answer: dict[str, Any] = {}
    if where.within:
        put_at(answer, where.within, fields)
    response = jsonify(answer or fields)
    response.headers["Cache-Control"] = "no-store"
    return response


def _refusal(error: str, status: int) -> Response:
    return make_response(jsonify(error=error, error_description="The sandbox says no."), status)
