"""The templates of an app: our own, and those of the modules that `EXTENSIONS` names."""

from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path

from service.app_keys import AppKey
from service.name_suggestions import near_names
from service.web.errors import NotFound
from service.widgets.manifest import MANIFEST, read
from service.widgets.template import WidgetTemplate

WIDGET_TEMPLATES = AppKey["WidgetTemplates"]("widget_templates")
BUILT_IN = Path(__file__).with_name("templates")

# Our own templates do not change while a process runs, and workers inherit the master's cache.
_read_built_in = cache(read)


def built_in() -> list[Path]:
    """Return the folders of our own templates."""
    return sorted(path for path in BUILT_IN.iterdir() if path.is_dir() and path.name[0] not in "._")


class WidgetTemplates:
    """Templates by handle. Their manifests are read once, when the app starts."""

    def __init__(self, folders: Iterable[Path | str]) -> None:
        """Raise ValueError for a wrong manifest, or two templates with one handle."""
        self._by_handle: dict[str, WidgetTemplate] = {}
        for folder in map(Path, folders):
            template = _read_built_in(folder) if folder.parent == BUILT_IN else read(folder)
            if template.handle in self._by_handle:
                raise ValueError(f"template {template.handle} is declared twice")
            self._by_handle[template.handle] = template

    def __iter__(self) -> Iterator[WidgetTemplate]:
        return iter(self._by_handle.values())

    def get(self, handle: str) -> WidgetTemplate | None:
        return self._by_handle.get(handle)

    def check_endpoints(self, names: Collection[str]) -> None:
        """Raise ValueError for an endpoint in an app's own manifest that is not among these names.

        Our own manifests name built-in endpoints, which a test compares.
        """
        for template in [one for one in self if one.folder.parent != BUILT_IN]:
            for number, name in enumerate(template.endpoints):
                if name not in names:
                    place = f"{template.folder / MANIFEST}: endpoints.{number}"
                    meant = "".join(f": is {near} meant?" for near in near_names(name, names)[:1])
                    raise ValueError(f"{place}: there is no endpoint {name}{meant}")

    def find(self, handle: str) -> WidgetTemplate:
        """Return the template of that handle. Raises `NotFound`."""
        template = self.get(handle)
        if template is None:
            raise NotFound(f"There is no widget template of that handle: {handle[:100]}")
        return template
