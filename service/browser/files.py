"""Find the files that browsers load, and the imports of modules, without Flask.

A file's name is its folder and its own name: `chat/conversation-pane.js`.
"""

import functools
import gzip
import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).parent
FOLDERS = (
    "admin",
    "calls",
    "canvases",
    "chat",
    "console",
    "data",
    "integrations",
    "page",
    "shared",
    "usage",
    "widgets",
)

# Not left to the system: some machines map .js to text/plain, and browsers then refuse modules.
MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

_COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
_IMPORT = re.compile(
    r"""^\s*(?:import\s*|(?:import|export)\b[^'";]*?\bfrom\s*)['"]([^'"]+)['"]""", re.MULTILINE
)


def find(folder: str, name: str) -> Path | None:
    """Return the file of that name, or None."""
    return file_in(ROOT / folder, name) if folder in FOLDERS else None


def file_in(folder: Path, name: str) -> Path | None:
    """Return a file that browsers may load, or None. A name that contains a path has no file."""
    path = folder / name
    served = path.suffix in MEDIA_TYPES and path.parent == folder
    try:
        return path if served and path.is_file() else None
    except OSError:  # the name is longer than the file system allows
        return None


def content(path: Path, *, compressed: bool) -> bytes:
    """Return a file's bytes. If no proxy in front compresses, compression saves two thirds."""
    return _content(path, path.stat().st_mtime_ns, compressed)


def imports(name: str) -> list[str]:
    """Return the names of a module's imports, in their order. `import()` is not followed."""
    return [_resolve(name, target) for target in specifiers(ROOT / name)]


def specifiers(path: Path) -> list[str]:
    """Return the targets of a module's imports, as written in this package or in a template."""
    return _imports(path, path.stat().st_mtime_ns)


def modules_of(name: str) -> list[str]:
    """Return a module and all modules that it imports, directly or not, sorted."""
    found, todo = {name}, [name]
    while todo:
        new = set(imports(todo.pop())) - found
        found |= new
        todo += new
    return sorted(found)


def _resolve(name: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), target))


# Both are cached. `modified_ns` is part of the key.


@functools.lru_cache(maxsize=512)
def _content(path: Path, modified_ns: int, compressed: bool) -> bytes:
    data = path.read_bytes()
    return gzip.compress(data, mtime=0) if compressed else data  # same bytes in every worker


@functools.lru_cache(maxsize=512)
def _imports(path: Path, modified_ns: int) -> list[str]:
    return _IMPORT.findall(_COMMENT.sub("", path.read_text()))
