"""What an address may be, and the methods it takes.

405 and `Allow` follow the most specific rule for a path, and rules that exist only for some
arguments (`edge.exists_for`).
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from flask import Flask, Request, Response
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing import Map, Rule

from service.app import Service
from service.web.errors import InvalidRequest, NotFound

KNOWN_PATHS = 1000


def init_app(app: Service) -> None:
    app.check_requests(_refuse_nul)
    app.check_requests(_refuse_method)
    app.finish_responses(_set_allow)


# Matching the path of an endpoint takes longer than all other checks of a request.
@lru_cache(KNOWN_PATHS)
def _match(rules: Map, path: str) -> tuple[Rule, Mapping[str, Any]] | None:
    """Return the most specific rule for a path, for any method, and its arguments."""
    adapter = rules.bind("")
    for websocket in (True, False):
        try:
            return adapter.match(path, "OPTIONS", return_rule=True, websocket=websocket)
        except HTTPException:
            continue
    return None


def _allowed_methods(app: Flask, path: str) -> list[str]:
    match = _match(app.url_map, path)
    if match is None:
        return []
    rules = [other for other in app.url_map.iter_rules() if other.rule == match[0].rule]
    exist = [other for other in rules if _exists(app, other, match[1])]
    return sorted({method for other in exist for method in other.methods or ()})


def _exists(app: Flask, rule: Rule, arguments: Mapping[str, Any]) -> bool:
    """Return whether a rule's methods exist for these arguments in the path."""
    view = app.view_functions[rule.endpoint]
    exists = getattr(view, "contract", {}).get("exists")
    return exists is None or exists(**arguments)


def _refuse_method(app: Service, request: Request, _: Any) -> None:
    """Raise 405 with the methods of the most specific rule for the path.

    For example, `POST /api/integrations/status` does not call an endpoint named `status`. Raises
    404 if no rule has the path: werkzeug raises 405 also for a path with two slashes in a row.
    """
    if isinstance(request.routing_exception, MethodNotAllowed):
        if not (methods := _allowed_methods(app, request.path)):
            raise NotFound()
        raise MethodNotAllowed(valid_methods=methods)  # without those of general rules
    matched = request.url_rule
    if matched is None or not matched.arguments:
        return
    match = _match(app.url_map, request.path)
    if match and match[0].rule == matched.rule and _exists(app, matched, match[1]):
        return  # the usual case; collecting the methods of all rules is slow
    if request.method not in (methods := _allowed_methods(app, request.path)):
        raise MethodNotAllowed(valid_methods=methods)


def _set_allow(app: Service, request: Request, _: Any, response: Response) -> None:
    """Set `Allow` from the most specific rule. Werkzeug adds the methods of general rules."""
    is_asked = request.method == "OPTIONS" and "Allow" in response.headers
    if is_asked or response.status_code == 405:
        response.headers["Allow"] = ", ".join(_allowed_methods(app, request.path))


def _refuse_nul(_: Service, request: Request, __: Any) -> None:
    """Refuse NUL in paths and queries, because PostgreSQL can't store it."""
    if "\x00" in request.path:
        raise NotFound()
    if b"%00" not in request.query_string and b"\0" not in request.query_string:
        return
    broken = [name for name, value in request.args.items(multi=True) if "\x00" in name + value]
    if broken:
        raise InvalidRequest(details={name[:100]: ["Must not contain NUL."] for name in broken})
