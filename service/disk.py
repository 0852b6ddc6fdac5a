"""Wait until written data is on the disk, so that it survives a power cut."""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Wait until a file, or the entries of a directory, are on the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
