"""The version of all files that browsers load, which is a part of their addresses on the console.

An address with a version never changes what it stands for, so a browser keeps the file and does
not ask for it again. Modules name each other by relative addresses, which have the same version.
"""

import functools
import hashlib
import os
from pathlib import Path

from service.browser.files import FOLDERS, MEDIA_TYPES, ROOT

Times = dict[str, int]  # by path: when each file was modified, in ns

_latest: dict[str, Times] = {}  # of the one version that was found last


def version() -> str:
    """A name for what all files hold now. It is the same wherever they hold the same."""
    times = _times()
    name = _name(tuple(times.items()))
    _latest.clear()
    _latest[name] = times
    return name


def is_of(name: str, path: Path) -> bool:
    """Whether the file holds now what it holds in that version."""
    times = _latest.get(name, {})
    return times.get(str(path)) == path.stat().st_mtime_ns or version() == name


def _times() -> Times:
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
