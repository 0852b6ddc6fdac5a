"""The version of all files that browsers load, which is part of their addresses in the console.

The content at an address with a version never changes, so a browser keeps the file and does not ask
for it again. Modules import each other with relative addresses, which have the same version.
"""

import functools
import hashlib
import os
from pathlib import Path

from service.browser.files import FOLDERS, MEDIA_TYPES, ROOT

ModifiedTimes = dict[str, int]  # by path: when each file was modified, in ns

_latest: dict[str, ModifiedTimes] = {}  # of the last computed version only


def version() -> str:
    """Return a name for the current content of all files. It is the same on all machines."""
    times = _times()
    name = _name(tuple(times.items()))
    _latest.clear()
    _latest[name] = times
    return name


def is_of(name: str, path: Path) -> bool:
    """Return whether the file's current content is its content in that version."""
    times = _latest.get(name, {})
    return times.get(str(path)) == path.stat().st_mtime_ns or version() == name


def _times() -> ModifiedTimes:
    entries = (entry for folder in FOLDERS for entry in os.scandir(ROOT / folder))
    served = (each for each in entries if os.path.splitext(each.name)[1] in MEDIA_TYPES)
    return {each.path: each.stat().st_mtime_ns for each in sorted(served, key=lambda one: one.path)}


@functools.lru_cache(maxsize=2)
def _name(times: tuple[tuple[str, int], ...]) -> str:
    digest = hashlib.sha256()
    for path, _ in times:
        data = Path(path).read_bytes()
        digest.update(f"{Path(path).relative_to(ROOT)} {len(data)}\n".encode() + data)
    return digest.hexdigest()[:16]
