"""The Flask app of the service, without the parts of Flask that this service does not use.

The functions that run in every request get the request as a plain object. Flask's own functions
look `request` up at each use, and open a session for each request.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from flask import Flask, Request, Response, appcontext_tearing_down, request_tearing_down
from flask.sessions import NullSession, SessionInterface
from werkzeug.datastructures import Headers
from werkzeug.routing import Map, MapAdapter, Rule
from werkzeug.wsgi import get_host

from service.current_request import current_context, current_g, current_request
from service.lazy import Extensions

# The arguments are the app, the request, and the object behind `g`.
RequestCheck = Callable[["Service", Request, Any], None]
ResponseStep = Callable[["Service", Request, Any, Response], None]

NO_SESSION = NullSession()
REWRITTEN = ("location", "content-location")  # headers that Werkzeug turns into URIs
WITHOUT_LENGTH = (204, 304)  # and all statuses below 200
KNOWN_ADDRESSES, ADDRESS_LIMIT = 1000, 200  # that are remembered, and characters of one


class NoSessions(SessionInterface):
    def open_session(self, app: Flask, request: Request) -> NullSession:
        return NO_SESSION

    def is_null_session(self, obj: object) -> bool:
        return True


# The key: the path, the method, and whether the request opens a WebSocket.
Matches = dict[tuple[str, str, bool], tuple[Rule, Mapping[str, Any]]]


class ServiceRule(Rule):
    """A route. `head=False` is for a GET that does more than read.

    Such a route refuses HEAD, which Werkzeug would answer by calling the view.
    """

    def __init__(self, *arguments: Any, head: bool = True, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if not head and self.methods:
            self.methods.discard("HEAD")


class RememberingAdapter(MapAdapter):
    """Finds the route of a request, and remembers it for requests with the same address."""

    found: Matches

    def match(self, *arguments: Any, **options: Any) -> Any:
        if arguments or options != {"return_rule": True}:
            return super().match(*arguments, **options)
        key = self.path_info, self.default_method, self.websocket
        known = self.found.get(key)
        if known is None:
            known = super().match(return_rule=True)
            if len(self.path_info) <= ADDRESS_LIMIT:
                if len(self.found) >= KNOWN_ADDRESSES:
                    self.found.clear()
                self.found[key] = known
        rule, values = known
        return rule, dict(values)


@lru_cache(128)
def _host(scheme: str, header: str | None, name: str, port: str) -> str:
    """Return the host of a request in the form that routes have. Raises Werkzeug's errors."""
    server = {"wsgi.url_scheme": scheme, "SERVER_NAME": name, "SERVER_PORT": port}
    if header is not None:
        server["HTTP_HOST"] = header
    return Map().bind(get_host(server)).server_name


class PlainResponse(Response):
    """A response whose headers are sent as they are, unless Werkzeug has to change them."""

    def get_wsgi_headers(self, environ: Any) -> Headers:
        """Return the headers themselves. Werkzeug's own method copies them, which is slow."""
        status, has_length = self.status_code, not self.is_sequence
        for name, _ in self.headers:
            name = name.lower()
            if name in REWRITTEN:
                return super().get_wsgi_headers(environ)
            has_length = has_length or name == "content-length"
        if not has_length or status < 200 or status in WITHOUT_LENGTH:
            return super().get_wsgi_headers(environ)
        return self.headers


class Service(Flask):
    """A Flask app that calls the checks of every request itself (decision 0041)."""

    response_class = PlainResponse
    url_rule_class = ServiceRule
    session_interface = NoSessions()
    extensions: Extensions

    def __init__(self, name: str) -> None:
        super().__init__(name, static_folder=None)
        self.extensions = Extensions()
        self._checks: list[RequestCheck] = []
        self._finishes: list[ResponseStep] = []
        self._found: Matches = {}

    def check_requests(self, check: RequestCheck) -> None:
        """Have `check` called before the view of every request. An exception becomes the answer."""
        self._checks.append(check)

    def finish_responses(self, finish: ResponseStep) -> None:
        """Have `finish` called with every response, before the functions that were registered
        earlier."""
        self._finishes.insert(0, finish)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return `func` unchanged. Flask would check in every request if it is asynchronous."""
        return func

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Return the adapter that finds the route of a request.

        Flask's own method reads the host twice, and decodes again what the request has decoded.
        """
        if self._knows_its_name() or (request and "HTTP_UPGRADE" in request.environ):
            return super().create_url_adapter(request)
        if request is None:
            return None
        environ = request.environ
        server = environ.get("SERVER_NAME", ""), environ.get("SERVER_PORT", "")
        adapter = RememberingAdapter(
            self.url_map,
            _host(request.scheme, environ.get("HTTP_HOST"), *server),
            request.root_path,
            self.url_map.default_subdomain,
            request.scheme,
            request.path if environ.get("PATH_INFO", "/") else "",  # the path is at least a slash
            request.method,
            request.query_string.decode("utf-8", "replace"),
        )
        adapter.found = self._found
        return adapter

    def _knows_its_name(self) -> bool:
        config = self.config
        return config["TRUSTED_HOSTS"] is not None or config["SERVER_NAME"] is not None

    def preprocess_request(self) -> Any:
        request, facts = current_request(), current_g()
        for check in self._checks:
            check(self, request, facts)
        if self.url_value_preprocessors or self._has_own(self.before_request_funcs, request):
            return super().preprocess_request()
        return None

    def make_response(self, rv: Any) -> Response:
        """Return a response unchanged. Flask would change the class of a WebSocket's response."""
        return rv if isinstance(rv, Response) else super().make_response(rv)

    def process_response(self, response: Response) -> Response:
        context, facts = current_context(), current_g()
        request = context.request
        of_this = context._after_request_functions  # noqa: SLF001 - Flask has no other list of them
        if of_this or self._has_own(self.after_request_funcs, request):
            response = super().process_response(response)
        for finish in self._finishes:
            finish(self, request, facts, response)
        return response

    def do_teardown_request(self, *error: Any) -> None:
        """Call the teardown functions. Flask's own method looks up those of the blueprints."""
        functions = self.teardown_request_funcs
        are_of_app = functions.keys() <= {None}  # other keys are names of blueprints
        if not error or not are_of_app or request_tearing_down.receivers:
            super().do_teardown_request(*error)
            return
        for function in reversed(functions.get(None, ())):
            function(*error)

    def do_teardown_appcontext(self, *error: Any) -> None:
        if not error or appcontext_tearing_down.receivers:
            super().do_teardown_appcontext(*error)
            return
        for function in reversed(self.teardown_appcontext_funcs):
            function(*error)

    def _has_own(self, functions: dict[Any, Any], request: Request) -> bool:
        """Return whether Flask's decorators have registered functions for this request.

        They belong to the app or to the request's blueprint. A blueprint within another may have
        functions of both.
        """
        rule = request.url_rule
        blueprint = rule.endpoint.rpartition(".")[0] if rule else ""
        return None in functions or blueprint in functions or "." in blueprint
