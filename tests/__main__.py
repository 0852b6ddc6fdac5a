"""The whole suite as two processes side by side: `python -m tests`, which `make test` runs.

One half mostly waits for other processes, the other mostly computes; each has its own databases.
What they print comes one after the other. Arguments are pytest's, and then there is one process.
"""

import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
WAITING = ("browser", "clients", "console", "faults", "journeys", "sandbox")


def main(arguments: list[str]) -> int:
    if arguments:
        return subprocess.call(_pytest(*arguments))
    began = time.monotonic()
    waiting = [str(HERE / name) for name in WAITING]
    first = subprocess.Popen(_pytest(*waiting), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    rest = subprocess.call(_pytest(*(f"--ignore={path}" for path in waiting)))
    told, _ = first.communicate()
    sys.stdout.flush()
    sys.stdout.buffer.write(told)
    print(f"both halves took {time.monotonic() - began:.0f} s")
    return rest or first.returncode


def _pytest(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pytest", *arguments]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
