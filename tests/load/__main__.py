"""`python -m tests.load --users 60 --minutes 10`: users, disasters, and then the rules.

It ends with status 1 if a rule was violated. `--fairness` measures how much one user with 500 calls
delays the others.
"""

from serving.gevent_patching import patch_all

patch_all()  # before anything imports ssl

import argparse  # noqa: E402
import resource  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

from tests.load import fairness  # noqa: E402
from tests.load.disasters import Schedule  # noqa: E402
from tests.load.rule_checks import check  # noqa: E402
from tests.load.rules import Outcome, table  # noqa: E402
from tests.load.running import run  # noqa: E402
from tests.services import Databases  # noqa: E402

FILES = 20_000


def main() -> int:
    arguments = _arguments()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FILES, hard), hard))
    with tempfile.TemporaryDirectory(prefix="load-") as name:
        directory = Path(name)
        databases = Databases(directory)
        try:
            if arguments.fairness:
                return fairness.main(databases, directory)
            return _load(databases, directory, arguments)
        finally:
            databases.remove()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--users", type=int, default=60)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--pause", type=float, default=1, help="mean seconds between two actions")
    for name, default in (("kill", 20), ("cut", 60), ("reload", 90)):
        parser.add_argument(f"--{name}", type=float, default=default, help="seconds between two")
    parser.add_argument("--log", type=Path, help="a file for what the service has logged")
    parser.add_argument("--fairness", action="store_true", help="one user with 500 calls")
    return parser.parse_args()


def _load(databases: Databases, directory: Path, arguments: argparse.Namespace) -> int:
    began, seconds = time.monotonic(), arguments.minutes * 60
    schedule = Schedule(arguments.kill, arguments.cut, arguments.reload)
    outcome = run(
        databases, directory, arguments.users, seconds, arguments.pause, schedule, quick=False
    )
    outcome.expected = {"kills": int(seconds / arguments.kill / 2)}
    outcome.expected |= {"cuts": int(seconds / arguments.cut / 2)}
    outcome.expected |= {"restarts": int(seconds / arguments.reload / 2)}
    if arguments.log:
        arguments.log.write_text(outcome.log)
    checked = check(outcome)
    print(_summary(outcome, time.monotonic() - began), table(checked), sep="\n\n")
    return int(any(verdict.violations for verdict in checked))


def _summary(outcome: Outcome, seconds: float) -> str:
    users, disasters = outcome.observations, outcome.disasters
    made = {
        "requests": sum(user.requests for user in users),
        "turns asked": sum(len(q.attempts) for user in users for q in user.questions),
        "turns stored": len(outcome.stored["turns"]),
        "calls": sum(len(user.calls) for user in users),
        "notes": sum(len(user.notes) for user in users),
        "changes": sum(len(follower.replay.changes) for follower in outcome.followers),
        "sockets cut": sum(follower.cuts for follower in outcome.followers),
        "workers killed": disasters.kills,
        "database cut": disasters.cuts,
        "reloads": disasters.restarts,
        "seconds": round(seconds),
    }
    return "\n".join(f"{name:<16}{count:>8}" for name, count in made.items())


if __name__ == "__main__":
    sys.exit(main())
