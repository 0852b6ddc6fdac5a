"""The slots in which requests are noted while they are answered."""

import errno
import os
import pathlib
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import time_machine

from service.observing.request_log import REQUEST_ID
from serving.pending import HEADER, Pending, path_of, take_unanswered


@pytest.fixture
def pending(tmp_path):
    return Pending(tmp_path, 2, REQUEST_ID)


def request(*ids: str, path: str = "/api/credits") -> SimpleNamespace:
    """What gunicorn has parsed."""
    headers = [("HOST", "x"), *((HEADER, one) for one in ids)]
    return SimpleNamespace(headers=headers, method="GET", path=path)


def unanswered(directory) -> list[dict]:
    return list(take_unanswered(directory, os.getpid()))


def test_a_request_that_is_not_answered_is_told_once_with_its_facts(pending, tmp_path):
    answered, lost = request("one"), request("two")
    for each in (answered, lost):
        pending.begin(each)
    pending.end(answered)
    (facts,) = unanswered(tmp_path)
    assert facts.pop("seconds") < 60
    expected = {"request_id": "two", "method": "GET", "path": "/api/credits"}
    assert facts == {"worker": os.getpid(), **expected}
    assert not path_of(tmp_path, os.getpid()).exists()
    assert unanswered(tmp_path) == []


def test_a_clock_that_is_set_meanwhile_does_not_count(pending, tmp_path):
    pending.begin(request("one"))
    with time_machine.travel(datetime.now(UTC) - timedelta(hours=1)):
        (facts,) = unanswered(tmp_path)
    assert 0 <= facts["seconds"] < 60


def test_slots_are_used_again_and_more_requests_are_served_without(pending, tmp_path):
    for _ in range(3):
        every = [request(f"id-{number}") for number in range(3)]
        for each in every:
            pending.begin(each)
        for each in every * 2:  # a response that failed is ended twice
            pending.end(each)
    for name in ("first", "second", "without"):
        pending.begin(request(name))
    assert {facts["request_id"] for facts in unanswered(tmp_path)} == {"first", "second"}


def test_a_long_path_is_cut_and_leaves_other_slots_alone(pending, tmp_path):
    for number in range(2):
        pending.begin(request(f"{number}".rjust(128, "-"), path="/" + "x" * 8000))
    facts = unanswered(tmp_path)
    assert sorted(one["request_id"].strip("-") for one in facts) == ["0", "1"]
    assert all("/x" <= one["path"] < "/y" and len(one["path"]) < 128 for one in facts)


@pytest.mark.parametrize("full", ["no room for a name", "no room for its blocks"])
def test_a_worker_serves_where_the_disk_has_no_room(tmp_path, monkeypatch, full):
    error = OSError(errno.ENOSPC, "No space left on device")
    if full == "no room for a name":
        monkeypatch.setattr(pathlib.Path, "open", Mock(side_effect=error))
    else:
        monkeypatch.setattr(os, "posix_fallocate", Mock(side_effect=error))
    pending, answered = Pending(tmp_path, 2, REQUEST_ID), request("one")
    pending.begin(answered)
    pending.end(answered)
    assert unanswered(tmp_path) == []


def test_a_directory_that_is_missing_is_told(tmp_path):
    with pytest.raises(FileNotFoundError):
        Pending(tmp_path / "none", 2, REQUEST_ID)


@pytest.mark.parametrize("ids", [(), ("a b",), ("a", "b"), ("x" * 129,), ("a\tb",)])
def test_a_request_without_one_usable_id_gets_another_that_the_app_sees_too(pending, tmp_path, ids):
    seen = request(*ids)
    pending.begin(seen)
    (facts,) = unanswered(tmp_path)
    assert [value for name, value in seen.headers if name == HEADER] == [facts["request_id"]]
    assert len(facts["request_id"]) == 32
    assert ("HOST", "x") in seen.headers
