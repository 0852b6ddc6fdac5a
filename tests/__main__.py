"""The whole suite as several processes side by side: `python -m tests`, which `make test` runs.

Most tests wait for other processes, so that two cores serve several of them; each process has its
own databases. What they print comes one after the other. Arguments are pytest's, and then there
is one process.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

HERE = Path(__file__).parent
GROUPS = (
    ("browser", "clients", "console", "journeys"),
    ("faults",),
    ("billing", "chat", "providers", "sandbox"),
)  # the rest is the last group


def main(arguments: list[str]) -> int:
    if arguments:
        return subprocess.call(_pytest(*arguments))
    began = time.monotonic()
    named = [[str(HERE / name) for name in group] for group in GROUPS]
    rest = [f"--ignore={path}" for group in named for path in group]
    running = [_start(group) for group in (*named, rest)]
    codes = [_finish(process, output) for process, output in running]
    print(f"{len(running)} groups, {time.monotonic() - began:.0f} s")
    return int(any(codes))  # a process that was killed has a negative one


def _start(arguments: list[str]) -> tuple[subprocess.Popen, IO[bytes]]:
    output = tempfile.TemporaryFile()  # noqa: SIM115 - closed once its process has ended
    process = subprocess.Popen(_pytest(*arguments), stdout=output, stderr=subprocess.STDOUT)
    return process, output


def _finish(process: subprocess.Popen, output: IO[bytes]) -> int:
    code = process.wait()
    output.seek(0)
    sys.stdout.flush()
    sys.stdout.buffer.write(output.read())
    output.close()
    return code


def _pytest(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pytest", *arguments]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
