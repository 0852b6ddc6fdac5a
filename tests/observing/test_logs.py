"""Log lines: without secrets, without the texts of errors, and always written."""

import json

import pytest
import structlog

from service.observing import attribution
from service.observing.logs import (
    Redactor,
    configure_logs,
    log_info,
    place_of_error,
    redactor,
    write_line,
)


@pytest.fixture
def hide(monkeypatch):
    """Make values secret in every line."""

    def hiding(*secrets):
        monkeypatch.setattr(redactor, "pattern", None)
        redactor.hide(secrets)

    return hiding


@pytest.fixture
def line(capfd):
    """The last line that was written."""
    return lambda: json.loads(capfd.readouterr().err.splitlines()[-1])


def test_secrets_are_hidden_wherever_they_stand(hide, line):
    hide("sk-canary-1", "sk-canary-12345", "p$ss(word)")
    told = ["sk-canary-12345", {"of": "key sk-canary-1."}, ("p$ss(word)", 5)]
    log_info("with sk-canary-1 twice: sk-canary-1", told=told, number=7)
    shown = line()
    assert shown["event"] == "with [secret] twice: [secret]"
    assert shown["told"] == ["[secret]", {"of": "key [secret]."}, ["[secret]", 5]]
    assert shown["number"] == 7


@pytest.mark.parametrize("write", [log_info, lambda event: write_line("error", event)])
def test_a_secret_is_hidden_in_every_way_to_write_and_in_facts(hide, line, write):
    hide("sk-canary-1")
    with attribution.scope():
        attribution.begin(route="sk-canary-1")
        write("sk-canary-1")
    assert (shown := line())["event"] == shown["route"] == "[secret]"


def test_ordinary_words_are_no_secrets():
    clean = Redactor()
    clean.hide(["service", ""])
    assert clean(None, "", {"event": "the service"}) == {"event": "the service"}


def test_structlog_writes_the_same_lines(line):
    configure_logs(())
    facts = {"text": "ü\n\ud800", "value": object(), "error": ValueError("canary"), "none": None}
    log_info("said", **facts)
    ours = line()
    structlog.get_logger("any").info("said", **facts)
    theirs = line()
    assert {**theirs, "timestamp": ours["timestamp"]} == ours
    assert (ours["level"], ours["value"], ours["error"]) == ("info", "object", "ValueError")


def test_a_line_tells_what_it_knows_itself_rather_than_its_greenlets_facts(line):
    with attribution.scope():
        attribution.begin(request_id="mine", route="/here")
        log_info("said", request_id="another")
    assert ((shown := line())["request_id"], shown["route"]) == ("another", "/here")


def failing():
    try:
        raise KeyError("canary")
    except KeyError as error:
        raise ValueError("canary") from error


def test_an_error_is_told_by_its_types_and_its_place():
    with pytest.raises(ValueError, match="canary") as raised:
        failing()
    told = place_of_error(None, "", {"event": "x", "exc_info": raised.value})
    assert told["exception"] == ["builtins.ValueError", "builtins.KeyError"]
    assert told["at"][-1].endswith(" failing")
    assert "canary" not in str(told)


def test_the_error_that_is_handled_is_told_where_that_is_wanted():
    try:
        failing()
    except ValueError:
        wanted = place_of_error(None, "", {"event": "x", "exc_info": True})
        assert place_of_error(None, "", {"event": "x", "exc_info": False}) == {"event": "x"}
    assert wanted["exception"] == ["builtins.ValueError", "builtins.KeyError"]


def test_errors_that_are_each_others_cause_are_told_once():
    """A worker would never end its line, and answer nothing more."""
    one, other = ValueError(), KeyError()
    one.__cause__, other.__cause__ = other, one
    told = place_of_error(None, "", {"event": "x", "exc_info": one})
    assert told["exception"] == ["builtins.ValueError", "builtins.KeyError"]
