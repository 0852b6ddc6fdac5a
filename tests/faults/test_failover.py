"""A standby that lacks the newest changes takes over."""

import os
import signal
from pathlib import Path

import pytest
import requests

from service.auth.tokens import issue
from tests.faults.follower import Listener
from tests.postgres import Cluster
from tests.services import Databases, Service, settings_for, wait_for


@pytest.fixture
def own_databases(tmp_path):
    """With a cluster of their own, which the test may destroy."""
    made = Databases(tmp_path)
    yield made
    made.remove()


@pytest.fixture
def service(own_databases):
    with Service(own_databases.make("postgresql")) as made:
        yield made.start()


def test_no_client_of_the_feed_trusts_what_a_standby_has_not_received(service, own_databases):
    """It gives the ids of the transactions that it lacks to others. A feed that went on at its
    place would send none of these, and a client's cursor would lead past them."""
    cluster = own_databases.cluster
    write(service, "before")
    copy = copied(cluster)
    listener = Listener(service, "alice")
    replay = listener.subscribe("notes")
    for number in range(10):
        write(service, f"lost {number}")
    wait_for(lambda: len(replay.records) == 11)
    fail_over(cluster, copy)
    service.wait()
    for number in range(19):  # the last of them have ids that the standby's predecessor never gave
        write(service, f"after {number}")
    wait_for(lambda: listener.code == 1011)
    listener.stop()
    assert not any(record["data"]["title"].startswith("after") for _, record in replay.changes)
    again = Listener(service, "alice")
    resumed = again.ask(op="subscribe", id="s", collection="notes", cursor=replay.cursors[-1])
    assert resumed["type"] == "resync"
    fresh = again.subscribe("notes", "t")
    wait_for(lambda: len(fresh.records) == 20)
    again.stop()


def write(service: Service, title: str) -> None:
    token = issue(settings_for("sqlite://"), "alice", "user", 3600)
    answer = requests.post(
        f"{service.url}/api/records/notes",
        json={"title": title},
        headers={"Authorization": f"Bearer {token}"},
        timeout=20,
    )
    assert answer.status_code == 201, answer.text


def copied(cluster: Cluster) -> Path:
    """The directory of a standby that receives nothing more."""
    copy = Path(cluster.directory, "standby")
    cluster.run(
        "pg_basebackup", "-h", cluster.directory, "-U", "app", "-D", str(copy), "-c", "fast"
    )
    (copy / "standby.signal").touch()
    return copy


def fail_over(cluster: Cluster, copy: Path) -> None:
    """The standby takes the place of the server, which has crashed."""
    cluster.stop(signal.SIGQUIT)
    data = Path(cluster.directory, "data")
    os.rename(data, data.with_name("lost"))
    os.rename(copy, data)
    with (data / "postgresql.auto.conf").open("a") as settings:
        settings.write("restore_command = 'false'\n")
    cluster.start()
    assert cluster.execute("SELECT pg_promote()") == "True"
