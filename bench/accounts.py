"""The CPU and memory used by a tree of processes, from /proc. Source: proc(5)."""

import os
from dataclasses import dataclass
from pathlib import Path

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    """CPU in nanoseconds, exact by thread and rounded in `ticks`; anonymous memory in KB."""

    by_thread: dict[str, int]
    ticks: int
    anonymous: int

    def cpu_since(self, before: "Usage") -> int:
        """Nanoseconds; from `ticks` if a thread has ended, since its exact count is lost."""
        if before.by_thread.keys() - self.by_thread.keys():
            return self.ticks - before.ticks
        return sum(self.by_thread.values()) - sum(before.by_thread.values())


def usage(root: int) -> Usage:
    """The usage of a process and all its descendants."""
    processes = [Path(f"/proc/{pid}") for pid in _tree(root)]
    threads = {str(task): _run_time(task) for p in processes for task in (p / "task").iterdir()}
    return Usage(threads, sum(map(_ticks, processes)), sum(map(_anonymous, processes)))


def _tree(root: int) -> list[int]:
    pids = [root]
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            pids += map(int, (task / "children").read_text().split())
    return pids


def _run_time(task: Path) -> int:
    return int((task / "schedstat").read_text().split()[0])


def _ticks(process: Path) -> int:
    """User and system time, including reaped children."""
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) * TICK_NS


def _anonymous(process: Path) -> int:
    for line in (process / "status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1])
    return 0
