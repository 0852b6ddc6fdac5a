"""Who may use the routes for admins."""

from service.app_keys import APP_SETTINGS
from tests.people import person
from tests.services import flask, on_sqlite, wait_for

ROUTES = [
    ("GET", "users"),
    ("GET", "users/alice"),
    ("PATCH", "users/alice"),
    ("GET", "credits/alice"),
    ("POST", "credits/alice"),
    ("GET", "turns"),
    ("POST", "turns/turn_1/stop"),
    ("GET", "actions"),
    ("GET", "integrations"),
    ("GET", "errors"),
    ("GET", "service"),
    ("GET", "today"),
]


@on_sqlite
def test_every_route_for_admins_is_here(app):
    rules = {rule.rule for rule in app.url_map.iter_rules() if rule.rule.startswith("/api/admin")}
    named = {"users/<id:subject>", "credits/<id:subject>", "turns/<turn_id>/stop"}
    plain = {path for _, path in ROUTES if "/" not in path}
    assert rules == {f"/api/admin/{path}" for path in named | plain}


@on_sqlite
def test_only_admins_may(alice, admin):
    alice.new_chat()
    for method, path in ROUTES:
        for body in ({}, {"disabled": True}, {"credits": 1, "note": "x"}):
            refused = alice.request(method, f"/api/admin/{path}", json=body)
            assert (refused.status_code, refused.json["error"]) == (403, "forbidden"), path
        assert admin.request(method, f"/api/admin/{path}", json={}).status_code != 403, path


@on_sqlite
def test_the_role_in_the_users_row_overrides_the_token_at_each_call(app, client, alice, admin):
    alice.new_chat()
    assert admin.patch("/api/admin/users/alice", {"role": "admin"}).json["role"] == "admin"
    wait_for(lambda: alice.get("/api/admin/users").status_code == 200)
    assert alice.patch("/api/admin/users/admin", {"role": "user"}).status_code == 200
    wait_for(lambda: admin.get("/api/admin/users").status_code == 403)


@on_sqlite
def test_limited_tokens_and_strangers_are_never_admins(app, client, admin):
    for scope in ("calls", "chat"):
        made = admin.post("/api/tokens", {"scope": scope}).json["token"]
        limited = person(client, APP_SETTINGS.of(app), "admin", "admin")
        limited.token = made
        assert limited.get("/api/admin/users").json["error"] == "forbidden"
    assert client.get("/api/admin/users").status_code == 401
    assert client.options("/api/admin/users").headers["Allow"] == "GET, HEAD, OPTIONS"


def test_an_admin_can_not_lock_themselves_out(database_url, admin):
    for change in ({"disabled": True}, {"role": "user"}, {"role": "user", "disabled": False}):
        refused = admin.patch("/api/admin/users/admin", change)
        assert (refused.status_code, refused.json["error"]) == (409, "conflict")
        assert "flask users" in refused.json["message"]
    for change in ({"role": None}, {"role": "admin"}, {"disabled": False}):
        assert admin.patch("/api/admin/users/admin", change).status_code == 200
    assert "set by an operator" in flask(database_url, "users", "role", "admin")
