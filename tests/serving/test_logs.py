"""gunicorn's lines have the form of the service's own."""

import json
import logging

from serving.logs import JsonFormatter


def test_only_queries_are_cut_out_of_a_message():
    for text, shown in {
        "was sent SIGKILL! Perhaps out of memory?": "was sent SIGKILL! Perhaps out of memory?",
        "Error handling request /callback?code=1": "Error handling request /callback?…",
    }.items():
        record = logging.LogRecord("gunicorn.error", logging.ERROR, __file__, 1, text, (), None)
        assert json.loads(JsonFormatter().format(record))["event"] == shown


def test_a_time_is_written_as_in_the_other_lines():
    record = logging.LogRecord("gunicorn.error", logging.INFO, __file__, 1, "Booting", (), None)
    record.created = 1_795_798_182.25
    line = json.loads(JsonFormatter().format(record))
    assert line["event"] == "Booting"
    assert line["timestamp"] == "2026-11-27T16:49:42.250000Z"
