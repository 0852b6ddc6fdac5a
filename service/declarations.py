"""The declarations of an app: our own, and those of the modules that `EXTENSIONS` names.

They declare collections, tools, endpoints and templates of widgets.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from config import ConfigError, Settings, with_declared
from service.activity.calls import INTEGRATION_CALLS
from service.assistant import calls
from service.chat.collections import BUILT_IN
from service.chat.tools.lookups import LOOKUPS
from service.chat.tools.records import RECORDS
from service.chat.tools.tool import Tool, Tools
from service.extension_modules import declared_in, load
from service.integrations import everything, setup
from service.integrations.declare.catalog import Catalog
from service.records.collection import Collection, Collections
from service.sandbox import collections as sandbox_collections
from service.widgets.canvas import with_canvases
from service.widgets.canvas_check import canvas_check
from service.widgets.canvas_templates import canvas_templates
from service.widgets.templates import WidgetTemplates, built_in

MOST_TOOLS = 128  # the maximum in a request of the OpenAI wire


@dataclass(frozen=True)
class Declarations:
    """All declarations of an app. `settings` includes the settings that vendors declare.

    `empty_modules` has the modules of `EXTENSIONS` that declare nothing.
    """

    collections: Collections
    tools: Tools
    catalog: Catalog
    templates: WidgetTemplates
    settings: Settings
    empty_modules: tuple[str, ...]


def declarations(settings: Settings) -> Declarations:
    """Return our own declarations and those of the modules that `EXTENSIONS` names.

    Such a module may have `COLLECTIONS`, `TOOLS`, `VENDORS` with their `ENDPOINTS`, and
    `TEMPLATES`, the paths of folders. Raises `ConfigError`.
    """
    modules = [load(path) for path in settings.extensions]
    apps = _all(modules, "COLLECTIONS")
    if settings.sandbox:
        apps += _examples(apps)
    with _faults_of("EXTENSIONS"):
        collections = Collections([*BUILT_IN, INTEGRATION_CALLS, *with_canvases(apps)])
        templates = WidgetTemplates([*built_in(), *_all(modules, "TEMPLATES")])
        catalog = everything.catalog(_all(modules, "VENDORS"), _all(modules, "ENDPOINTS"))
        templates.check_endpoints(catalog.names)
    tools = _tools(settings, catalog, templates, _all(modules, "TOOLS"))
    setup.check_billing(catalog, settings)
    complete = with_declared(settings, catalog.settings)
    setup.check_scope_names(catalog, complete)
    empty = tuple(module.__name__ for module in modules if not declared_in(module))
    return Declarations(collections, tools, catalog, templates, complete, empty)


def _tools(
    settings: Settings, catalog: Catalog, templates: WidgetTemplates, further: list[Tool]
) -> Tools:
    """Return the tools that `TOOLS_ALLOWED` allows: our own and `further` ones."""
    with _faults_of("ASSISTANT_ENDPOINTS"):
        endpoint_tools = calls.tools(catalog, settings.assistant_endpoints)
    canvas_tools = (canvas_templates(templates), canvas_check(templates))
    with _faults_of("EXTENSIONS"):
        tools = Tools([*LOOKUPS, *RECORDS, *canvas_tools, *endpoint_tools, *further])
    with _faults_of("TOOLS_ALLOWED"):
        allowed = tools.select(settings.tools_allowed)
    _check_count(allowed, settings)
    return allowed


@contextmanager
def _faults_of(setting: str) -> Iterator[None]:
    """Raise each ValueError of the block as a `ConfigError` about a setting."""
    try:
        yield
    except ValueError as error:
        raise ConfigError(f"{setting}: {error}") from None


def _examples(apps: list[Collection]) -> list[Collection]:
    """Return the sandbox's own collections, without those whose name one of the app's has."""
    taken = {one.name for one in apps}
    return [one for one in sandbox_collections.COLLECTIONS if one.name not in taken]


def _check_count(tools: Tools, settings: Settings) -> None:
    """Raise `ConfigError` if there are more tools than providers accept in a request."""
    count = len(tools.specs)
    if count > MOST_TOOLS:
        name = "EXTENSIONS" if settings.tools_allowed is None else "TOOLS_ALLOWED"
        raise ConfigError(
            f"{name}: the assistant would have {count} tools, and models take {MOST_TOOLS} at "
            "most. TOOLS_ALLOWED can name those that it needs"
        )


def _all(modules: Iterable[Any], name: str) -> list[Any]:
    return [one for module in modules for one in getattr(module, name, ())]
