"""What Python, gevent and libraries would print becomes lines without texts of people."""

import json
import logging
import sys
import threading
import types
import warnings

import pytest
from gevent.hub import Hub

from service.observing import stderr_lines

HOOKS = (
    (sys, "excepthook"),
    (sys, "unraisablehook"),
    (threading, "excepthook"),
    (warnings, "showwarning"),
    (Hub, "print_exception"),
)


@pytest.fixture
def installed(monkeypatch):
    """The hooks of a worker, for this test only."""
    for place, name in HOOKS:
        monkeypatch.setattr(place, name, getattr(place, name))
    names = [None, *logging.root.manager.loggerDict]
    for logger in map(logging.getLogger, names):
        monkeypatch.setattr(logger, "handlers", logger.handlers[:])
    stderr_lines.install()


@pytest.fixture
def lines(capfd):
    return lambda: [json.loads(line) for line in capfd.readouterr().err.splitlines()]


def caught(error):
    try:
        raise error
    except BaseException as raised:
        return raised


def test_each_hook_tells_the_type_and_the_place_of_an_error(installed, lines):
    error = caught(ValueError("canary"))
    sys.excepthook(ValueError, error, error.__traceback__)
    threading.excepthook(types.SimpleNamespace(exc_value=error))
    sys.unraisablehook(types.SimpleNamespace(exc_value=error, object=[].append))
    Hub.print_exception(None, object(), ValueError, error, None)
    told = lines()
    assert [(one["event"], one["level"]) for one in told] == [
        ("uncaught", "critical"), ("thread failed", "error"), ("unraisable", "error"),
        ("greenlet failed", "error"),
    ]  # fmt: skip
    for one in told:
        assert one["exception"] == ["builtins.ValueError"]
        assert one["at"][0].endswith(" caught")
    assert told[2]["object"] == "builtins.builtin_function_or_method"
    assert told[3]["context"] == "builtins.object"
    assert "canary" not in str(told)


def test_an_error_that_is_gone_is_told_all_the_same(installed, lines):
    sys.unraisablehook(types.SimpleNamespace(exc_value=None, object=None))
    [told] = lines()
    assert (told["event"], told["object"], "exception" in told) == (
        "unraisable", "builtins.NoneType", False,
    )  # fmt: skip


def test_a_warning_tells_its_category_and_place(installed, lines):
    warnings.showwarning(UserWarning("canary"), UserWarning, "module.py", 7)
    [told] = lines()
    assert (told["category"], told["place"]) == ("builtins.UserWarning", "module.py:7")
    assert "canary" not in str(told)


def test_a_librarys_message_is_told_if_it_is_a_constant(installed, lines):
    library, name = logging.getLogger("library.talkative"), "canary"
    library.setLevel(logging.DEBUG)
    library.error("failed for %s", name)
    library.error(f"failed for {name}")
    library.error(ValueError(name))
    library.info("not that important")
    told = lines()
    assert [one["event"] for one in told] == ["failed for %s", "logged", "logged"]
    assert {(one["logger"], one["level"]) for one in told} == {("library.talkative", "error")}
    assert "canary" not in str(told)


def test_a_librarys_error_is_told_by_its_type(installed, lines):
    try:
        raise KeyError("canary")
    except KeyError:
        logging.getLogger("library").exception("failed")
    [told] = lines()
    assert (told["event"], told["exception"]) == ("failed", ["builtins.KeyError"])
    assert "canary" not in str(told)


def test_only_gunicorns_loggers_keep_handlers_of_their_own(monkeypatch, request):
    kept, dropped = logging.getLogger("gunicorn.stray"), logging.getLogger("library.stray")
    for logger in (kept, dropped):
        logger.addHandler(logging.NullHandler())
    request.getfixturevalue("installed")
    assert (len(kept.handlers), len(dropped.handlers)) == (1, 0)
    assert [type(one) for one in logging.getLogger().handlers] == [stderr_lines.JsonHandler]
