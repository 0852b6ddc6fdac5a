"""gunicorn's log as JSON lines, in the form of `service/observing/logs.py`.

A line has the types and places of an exception but not its text, which may repeat SQL or a user's
text.
"""

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import Any

from gunicorn.glogging import Logger

from service.observing import attribution
from service.observing.logs import STANDARD_ERROR, place_of_error, redactor
from service.times import timestamp

# The query of an address in a message. The query of an OAuth callback contains a code.
QUERY = re.compile(r"\?[^\s'\"]+")
# gunicorn quotes parts of a refused request, which may contain a token or a user's text.
QUOTED = re.compile(r"^(Invalid request from [^'\"]*?):? b?['\"].*")


class JsonFormatter(logging.Formatter):
    """Format a record as a JSON object, with the facts in `extra={"facts": {…}}`."""

    def format(self, record: logging.LogRecord) -> str:
        # If gunicorn puts a traceback into the text, it begins on the second line.
        text, _, rest = record.getMessage().partition("\n")
        text = QUOTED.sub(r"\1", QUERY.sub("?…", text))
        event: dict[str, Any] = {"event": text, "worker": record.process}
        event |= attribution.current_facts()
        event |= getattr(record, "facts", {})
        if record.exc_info or rest:
            event["exc_info"] = record.exc_info[1] if record.exc_info else sys.exc_info()[1]
            event = place_of_error(None, "", event)
        event |= {"logger": record.name, "level": record.levelname.lower()}
        event["timestamp"] = timestamp(datetime.fromtimestamp(record.created, UTC))
        return json.dumps(redactor(None, "", event), default=repr)


class JsonLogger(Logger):
    """gunicorn's logger with JSON lines, for its setting `logger_class`."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        logging.raiseExceptions = False  # no traceback for a line that can't be written
        for handler in self.error_log.handlers:
            handler.setFormatter(JsonFormatter())
            if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stderr:
                handler.setStream(STANDARD_ERROR)
