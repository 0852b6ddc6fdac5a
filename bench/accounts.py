"""The CPU and memory used by a tree of processes, from /proc. Source: proc(5)."""

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
ENDED = (FileNotFoundError, ProcessLookupError)


@dataclass
class Usage:
    """CPU in nanoseconds, exact by thread and rounded in `ticks`; anonymous memory in KB."""

    by_thread: dict[str, int] = field(default_factory=dict)
    ticks: int = 0
    anonymous: int = 0

    def cpu_since(self, before: "Usage") -> int:
        """Nanoseconds; from `ticks` if a thread has ended, since its exact count is lost."""
        if before.by_thread.keys() - self.by_thread.keys():
            return self.ticks - before.ticks
        return sum(self.by_thread.values()) - sum(before.by_thread.values())


def usage(root: int) -> Usage:
    """The usage of a process and all its descendants."""
    total = Usage()
    for pid in _tree(root):
        with suppress(*ENDED):  # just now, as processes of PostgreSQL do
            process = Path(f"/proc/{pid}")
            total.ticks += _ticks(process)
            total.anonymous += anonymous(pid)
            total.by_thread |= _run_times(process)
    return total


def children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(*ENDED):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def anonymous(pid: int) -> int:
    """The anonymous memory of one process in KB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1])
    return 0


def _tree(root: int) -> list[int]:
    pids = [root]
    for pid in pids:
        pids += children(pid)
    return pids


def _run_times(process: Path) -> dict[str, int]:
    times = {}
    for task in (process / "task").iterdir():
        with suppress(*ENDED):
            times[str(task)] = int((task / "schedstat").read_text().split()[0])
    return times


def _ticks(process: Path) -> int:
    """User and system time, including reaped children."""
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) * TICK_NS
