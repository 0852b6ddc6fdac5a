"""The answer to a message whose user has the most turns at once, or has begun too many."""

import time

import gevent
from flask import Flask

from service.app_keys import APP_SETTINGS
from service.chat import claims
from service.chat.turn import reuse
from service.chat.turn.admission import Submission, find_answer
from service.extensions import db
from service.limits.concurrency import TooManyAtOnce
from service.web.errors import RateLimited

PATIENCE_SECONDS = 1.0  # within which admitted turns should claim their messages
LOOK_SECONDS = 0.02


def answer_without_ticket(
    app: Flask, submission: Submission, refusal: RateLimited
) -> reuse.StoredAnswer:
    """Return the stored answer to a message for which there was no ticket.

    A stored answer needs no ticket. Raises `AlreadyRunning` for a message that is being answered,
    otherwise the refusal. A ticket is taken before the message is claimed: while some of the user's
    tickets have no claim yet, one of them may belong to this message.
    """
    gives_up = time.monotonic() + PATIENCE_SECONDS
    while True:
        is_known = _is_known(app, submission, refusal) or time.monotonic() >= gives_up
        if stored := find_answer(app, submission):
            return stored
        db.session.commit()  # the next look reads a newer state
        if is_known:
            raise refusal
        gevent.sleep(LOOK_SECONDS)


def _is_known(app: Flask, submission: Submission, refusal: RateLimited) -> bool:
    """Return whether every admitted turn has claimed its message."""
    if not isinstance(refusal, TooManyAtOnce):
        return True
    most = APP_SETTINGS.of(app).turns_at_once
    return claims.count_of(submission.caller.subject) >= most
