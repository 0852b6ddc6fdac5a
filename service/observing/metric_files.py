"""Reserve room on the disk for the memory-mapped files of metrics.

prometheus_client makes sparse files. The first write to a page of such a file needs a block of the
disk. If the disk is full, the kernel ends the process with SIGBUS, because no call could return an
error.
"""

import errno
import os
from typing import Any

from prometheus_client import mmap_dict

FULL = (errno.ENOSPC, errno.EDQUOT)
HEAD, VALUE, ALIGNED = 4, 16, 8  # bytes: a key's length, its value, and the alignment


def reserve(descriptor: int, size: int) -> bool:
    """Make a file at least `size` bytes long, with all blocks. Return False if the disk is full."""
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError as error:
        if error.errno in FULL:
            return False
        os.truncate(descriptor, size)  # a file system that can't reserve
    return True


class ReservedDict(mmap_dict.MmapedDict):
    """A `MmapedDict` that moves into this process's own memory if the disk is full."""

    _f: Any
    _m: Any
    _capacity: int
    _used: int

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        super().__init__(filename if read_mode else _opened(filename), read_mode)

    def _init_value(self, key: str) -> None:
        length = len(key.encode())
        padding = ALIGNED - (length + HEAD) % ALIGNED
        if self._used + HEAD + length + padding + VALUE > self._capacity:
            self._grow()
        super()._init_value(key)

    def _grow(self) -> None:
        if reserve(self._f.fileno(), 2 * self._capacity):
            return
        whole = bytes(self._m)
        self._f.close()
        self._f = open(_in_memory(), "a+b")  # noqa: SIM115 - it stays open
        self._f.write(whole)
        self._f.flush()


def _opened(filename: str) -> Any:
    """Return a descriptor of the file, which `open` accepts like a name.

    A new file gets its name when its room is reserved, because a scrape fails at an empty file.
    """
    if os.path.exists(filename):  # an ended process had the same id
        return os.open(filename, os.O_RDWR | os.O_APPEND)
    unready = f"{filename}.new"
    try:
        descriptor = os.open(unready, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError as error:
        if error.errno in FULL:  # no room even for a name
            return _in_memory()
        raise
    size = mmap_dict._INITIAL_MMAP_SIZE  # noqa: SLF001 - the size that it makes by default
    if reserve(descriptor, size):
        os.rename(unready, filename)
        return descriptor
    os.unlink(unready)
    os.close(descriptor)
    return _in_memory()


def _in_memory() -> int:
    return os.memfd_create("metrics", os.MFD_CLOEXEC)
