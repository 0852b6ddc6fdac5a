"""Find the modules that a widget's page loads together, instead of import by import."""

import posixpath

from service.browser import files
from service.widgets.template import WidgetTemplate

BROWSER = "/browser/"
CLIENT = "/browser/widgets/widget-client.js"
# The client loads it if its page is not in a frame.
STANDALONE = "/browser/widgets/client-standalone-setup.js"


def modules(template: WidgetTemplate, *, alone: bool) -> list[str]:
    """Return the addresses of the modules that `widget.js` imports, directly or not, sorted.

    `alone` says whether the widget has a page of its own. Missing modules are left out, because the
    browser reports them better.
    """
    own = f"/w/{template.handle}/files/"
    start = f"{own}widget.js"
    found: set[str] = {start}
    todo = [start]
    while todo:
        address = todo.pop()
        imported = _imports_of(template, own, address)
        if alone and address == CLIENT:
            imported.append(STANDALONE)
        new = {one for one in imported if _exists(template, own, one)}
        todo += new - found
        found |= new
    return sorted(found - {start})


def _imports_of(template: WidgetTemplate, own: str, address: str) -> list[str]:
    if address.startswith(BROWSER):
        return [BROWSER + name for name in files.imports(address.removeprefix(BROWSER))]
    path = template.file(address.removeprefix(own))
    targets = files.specifiers(path) if path else []
    return [posixpath.normpath(posixpath.join(own, target)) for target in targets]


def _exists(template: WidgetTemplate, own: str, address: str) -> bool:
    if address.startswith(own):
        return template.file(address.removeprefix(own)) is not None
    folder, _, name = address.removeprefix(BROWSER).partition("/")
    return address.startswith(BROWSER) and files.find(folder, name) is not None
