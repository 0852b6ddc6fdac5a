"""Run a load, wait until it is quiet, and collect what is known."""

import time
from pathlib import Path

import gevent

from tests.load import database_rows
from tests.load.deployment import Deployment, deploy
from tests.load.disasters import Disasters, Schedule
from tests.load.rules import Outcome
from tests.load.user import User
from tests.services import Databases, wait_for

CATCHES_UP = 90  # seconds for the followers after the last change
SWEPT = 120  # seconds until the claims of lost workers have lapsed and are swept


def run(
    databases: Databases,
    directory: Path,
    users: int,
    seconds: float,
    pause: float,
    schedule: Schedule,
    quick: bool,
) -> Outcome:
    with deploy(databases, directory, quick) as made:
        ids: list[str] = []
        people = [User(made, number, pause, ids) for number in range(users)]
        until = time.monotonic() + seconds
        disasters = Disasters(made, schedule, until)
        gevent.joinall([gevent.spawn(user.live, until) for user in people], raise_error=True)
        disasters.finish()
        try:
            return _quiet(made, people, disasters)
        finally:
            for user in people:
                user.following.stop()
                user.close()


def _quiet(made: Deployment, people: list[User], disasters: Disasters) -> Outcome:
    """Wait for the last turns and changes, sweep, and read everything."""
    wait_for(lambda: len(made.workers()) == 2, 60)
    wait_for(lambda: _is_swept(made), SWEPT)
    for user in people:
        user.look_at_everything()
    found = database_rows.read(made.url)
    _catch_up(people, found)
    return Outcome(
        observations=[user.observations for user in people],
        stored=found,
        counts=made.vendor.counts,
        asked=made.model.calls,
        followers=[user.following for user in people],
        credits={user.observations.subject: user.credits() for user in people},
        disasters=disasters,
        log=made.server.log,
        workers=len(made.workers()),
    )


def _is_swept(made: Deployment) -> bool:
    made.sweep()
    found = database_rows.read(made.url)
    return not found["claims"] and not any(
        hold["state"] == "open" and hold["lease_id"] for hold in found["holds"]
    )


def _catch_up(people: list[User], found: database_rows.Stored) -> None:
    """Wait until each follower has the last change; a rule tells who never had it."""
    deadline = time.monotonic() + CATCHES_UP
    records = found.by("records", "owner")
    while time.monotonic() < deadline:
        if all(
            user.following.replay.records.keys()
            == {row["record_id"] for row in records[user.observations.subject]}
            for user in people
        ):
            return
        gevent.sleep(0.1)
