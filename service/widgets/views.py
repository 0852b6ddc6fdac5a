"""The templates of widgets, the pages that show them, and the files that these pages load.

Source: docs/contract.md, section 12.
"""

from typing import Any

from flask import Blueprint, Response, current_app, g, make_response, render_template, request

from service.app_keys import APP_SETTINGS
from service.auth.bearer import open_to
from service.auth.users import current_role
from service.browser.files import MEDIA_TYPES, ROOT
from service.browser.responses import file_response, missing_file
from service.integrations.calling.proxy import PROXY
from service.records.collection import APP_COLLECTIONS
from service.web.conditional import conditional
from service.web.edge import answers
from service.web.errors import NotFound
from service.web.origin import own_origin
from service.widgets import policy
from service.widgets.description import TemplateDescription, TemplateList, describe, rights
from service.widgets.preloads import modules
from service.widgets.template import WidgetTemplate
from service.widgets.templates import WIDGET_TEMPLATES, WidgetTemplates

widgets = Blueprint("widgets", __name__, template_folder="pages")
# Registered only in the sandbox: its page can fake every answer, which is useless elsewhere.
developer = Blueprint("widget_developer", __name__, template_folder="pages")


@widgets.get("/api/widgets/templates")
@open_to("calls")
@answers(TemplateList())
def templates() -> dict[str, Any]:
    """List all templates with their slots and prices, and the canvases that you may change"""
    proxy = PROXY.of(current_app)
    canvases = APP_COLLECTIONS.of(current_app).get("canvases")
    return {
        "templates": [describe(one, proxy) for one in _templates()],
        "canvases": rights(canvases, current_role(g.caller)),
    }


@widgets.get("/w/<handle>")
@answers(None, others={304: {}})
def canvas_page(handle: str) -> Response:
    """Show a widget in a canvas, for a sandboxed frame"""
    template = _templates().find(handle)
    headers = policy.canvas_page(template, _origin())
    # In a tab there is no canvas. Browsers without this header run the widget, which reports it.
    if request.headers.get("Sec-Fetch-Dest") == "document":
        return _finish(_render("widget_in_tab.html", template=template), headers)
    return _page(template, headers, api=None)


@widgets.get("/app/<handle>")
@answers(None, others={304: {}})
def standalone_page(handle: str) -> Response:
    """Show a widget on its own page, whose calls carry the user's token"""
    template = _templates().find(handle)
    if not template.standalone:
        raise NotFound("This widget has no page of its own: open it in a canvas.")
    return _page(template, policy.standalone_page(template, _origin()), api=_origin())


@widgets.get("/w/<handle>/files/<name>")
@answers(None, media_type=tuple(MEDIA_TYPES.values()), others={304: {}})
def file(handle: str, name: str) -> Response:
    """Return a module, a style sheet or a picture of a template"""
    path = _templates().find(handle).file(name)
    if path is None:
        raise missing_file()
    return file_response(path, any_origin=True)


@developer.get("/dev/widget/<handle>")
@answers(None, others={304: {}})
def developer_page(handle: str) -> Response:
    """In the sandbox, show a widget with a stand-in for its canvas"""
    template = _templates().find(handle)
    sheets = sorted(path.name for path in (ROOT / "widgets").glob("*.css"))
    page = make_response(render_template("developer.html", template=template, sheets=sheets))
    return _finish(page, policy.developer_page(_origin()))


@developer.get("/dev/widget/<handle>/manifest.json")
@answers(TemplateDescription())
def developer_manifest(handle: str) -> dict[str, Any]:
    """In the sandbox, return one template as in `/api/widgets/templates`, without a token"""
    return describe(_templates().find(handle), PROXY.of(current_app))


def _page(template: WidgetTemplate, headers: dict[str, str], api: str | None) -> Response:
    """Return the page that all widgets share. The widget's own module fills it."""
    facts = {
        "template": template,
        "api": api,
        "files": f"/w/{template.handle}/files/",
        "styled": (template.folder / "widget.css").is_file(),
        "modules": modules(template, alone=api is not None),
    }
    return _finish(_render("widget.html", **facts), headers)


def _render(name: str, **facts: Any) -> Response:
    sandbox = APP_SETTINGS.of(current_app).sandbox
    page = make_response(render_template(name, sandbox=sandbox, **facts))
    if sandbox:
        page.headers["X-Sandbox"] = "1"
    return page


def _finish(response: Response, headers: dict[str, str]) -> Response:
    response.headers.update(headers)
    return conditional(response, request)


def _origin() -> str:
    return own_origin(APP_SETTINGS.of(current_app), request.scheme, request.host)


def _templates() -> WidgetTemplates:
    return WIDGET_TEMPLATES.of(current_app)
