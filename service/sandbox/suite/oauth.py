"""The suite's authorization server, as the app reaches it: tokens, revocation, userinfo."""

import secrets

from flask import Blueprint, Flask, Response, jsonify, make_response, request

from service.sandbox.suite import tokens
from service.sandbox.suite.client import ACCOUNTS, API, Client, full


def blueprint(app: Flask, client: Client) -> Blueprint:
    """`app` is the service, whose database the suite keeps its state in."""
    oauth = Blueprint("suite_oauth", __name__, url_prefix=API)

    @oauth.post("/token")
    def token() -> Response:
        form = request.form.to_dict()
        if not _is(client, form):
            return _refused("invalid_client", 401)
        with app.app_context():
            pair = _exchanged(client, form)
        return _answered(pair) if pair else _refused("invalid_grant", 400)

    @oauth.post("/revoke")
    def revoke() -> Response:
        given = request.form.get("token", "")
        with app.app_context():
            done = tokens.revoke(given)
        return make_response(jsonify({}), 200) if done else _refused("invalid_token", 400)

    @oauth.get("/userinfo")
    def userinfo() -> Response:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        with app.app_context():
            holder = tokens.holder(given)
        if holder is None or "openid" not in holder.scopes:
            return _refused("invalid_request", 401)
        account = ACCOUNTS[holder.account]
        told: dict[str, object] = {"sub": f"sandbox-{account.id}", "name": account.name}
        if "userinfo.email" in holder.scopes:
            told |= {"email": account.email, "email_verified": True}
        return make_response(jsonify(told), 200)

    return oauth


def _is(client: Client, form: dict[str, str]) -> bool:
    right = secrets.compare_digest(form.get("client_secret", "").encode(), client.secret.encode())
    return right and form.get("client_id") == client.id


def _exchanged(client: Client, form: dict[str, str]) -> tokens.Pair | None:
    match form.get("grant_type"):
        case "authorization_code" if form.get("redirect_uri") == client.redirect:
            return tokens.redeem(form.get("code", ""), form.get("code_verifier", ""))
        case "refresh_token":
            return tokens.refresh(form.get("refresh_token", ""))
    return None


def _answered(pair: tokens.Pair) -> Response:
    answer = jsonify(
        access_token=pair.access,
        refresh_token=pair.refresh,
        expires_in=pair.seconds,
        scope=full(pair.scopes),
        token_type="Bearer",  # noqa: S106 - a kind, not a token
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _refused(error: str, status: int) -> Response:
    return make_response(jsonify(error=error, error_description="The sandbox says no."), status)
