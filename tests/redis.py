"""A Redis server of the tests' own."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.services import require, wait_for


@contextmanager
def redis_server(directory: Path) -> Iterator[str]:
    """Yield the URL of a server that listens on a socket in the directory, and keeps nothing."""
    program = shutil.which("redis-server")
    require(program, "Redis (redis-server)")
    socket = directory / "redis.sock"
    options = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(directory)]
    with (directory / "redis.log").open("wb") as log:
        process = subprocess.Popen([program, *options], stdout=log, stderr=log)
    try:
        wait_for(socket.exists)
        yield f"redis+unix://{socket}"
    finally:
        process.terminate()
        process.wait(timeout=10)
