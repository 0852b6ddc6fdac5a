"""What an app may add: a collection and tools of its own."""

import gc
import json
import logging
import os
import signal
import subprocess
import time
import warnings

import gevent
import greenlet
from gevent.monkey import get_original
from marshmallow import Schema, fields
from sqlalchemy import text

from service.chat.models import Chat
from service.chat.tools.tool import ToolContext, tool
from service.extensions import db
from service.records.collection import Collection, Column
from serving.own_stack import OwnStack


class Sum(Schema):
    left = fields.Integer(required=True)
    right = fields.Integer(required=True)


class How(Schema):
    how = fields.String(required=True)


@tool("test.add", Sum(), reads=True)
def add(context: ToolContext, left: int, right: int) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": left + right}


@tool("test.break", How(), reads=True)
def break_down(context: ToolContext, how: str) -> object:
    """Fail in a way of your choice."""
    if how == "raise":
        raise RuntimeError("secret-canary")
    poison = {
        "rows": [{"__proto__": 1, "name": "a"}],
        "constructor": {"prototype": {}, "team": "b"},
    }
    return {"not-json": object(), "surrogate": "\ud800", "poison": poison}[how]


class Nothing(Schema):
    pass


LOCK = 7  # whoever has it keeps test.hang hanging


@tool("test.greenlets", Nothing(), reads=True)
def count_greenlets(context: ToolContext) -> dict[str, int]:
    """Count this worker's live greenlets, without those that are kept for the next request."""
    gc.collect()
    alive = [item for item in gc.get_objects() if isinstance(item, greenlet.greenlet) and item]
    return {"count": sum(not is_kept(item) for item in alive)}


def is_kept(item: greenlet.greenlet) -> bool:
    """Their number is that of the most requests at once, up to `own_stack.IDLE_GREENLETS`."""
    return item.gr_frame is not None and item.gr_frame.f_code is OwnStack._run.__code__


@tool("test.hang", Nothing(), reads=True)
def hang(context: ToolContext) -> str:
    """Hang in a query of the database."""
    db.session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    return "done"


@tool("test.long", Nothing(), reads=True)
def long_text(context: ToolContext) -> str:
    """A long text."""
    return "word " * 10_000


class Stall(Schema):
    how = fields.String(required=True)
    seconds = fields.Float(required=True)


really_sleep = get_original("time", "sleep")


@tool("test.stall", Stall(), reads=True)
def stall(context: ToolContext, how: str, seconds: float) -> str:
    """Keep all others waiting in a way of your choice."""
    STALLS[how](seconds)
    return "done"


def compute(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def parse(seconds: float) -> None:
    """One call into C code, which keeps the interpreter to itself."""
    text = json.dumps(list(range(int(seconds * 15_000_000))))
    gevent.sleep(0.01)
    json.loads(text)


def share(seconds: float) -> None:
    """Many greenlets that take a millisecond each, in one iteration of the event loop."""
    gevent.joinall([gevent.spawn(compute, 0.001) for _ in range(int(seconds * 1000))])


def stand_still(seconds: float) -> None:
    """The whole process is stopped, and goes on later."""
    resume = f"sleep {seconds}; kill -CONT {os.getpid()}"
    subprocess.Popen(["sh", "-c", resume])  # noqa: S602, S607 - its own words
    os.kill(os.getpid(), signal.SIGSTOP)


STALLS = {
    "compute": compute,
    "parse": parse,
    "block": really_sleep,
    "share": share,
    "stop": stand_still,
}


class Unprintable:
    """Says too much of itself where somebody shows it."""

    def __init__(self) -> None:
        self.itself = self

    def __repr__(self) -> str:
        return "canary"

    def __del__(self) -> None:
        raise ValueError("canary")


@tool("test.stray", How(), reads=True)
def write_astray(context: ToolContext, how: str) -> str:
    """Have somebody else write to standard error."""
    canary = "canary"
    match how:
        case "pool":
            connection = db.engine.raw_connection()
            connection.cursor().execute(f"SELECT '{canary}'")
            connection.dbapi_connection.close()
            connection.close()  # which rolls back first
        case "log":
            logging.getLogger("library").error(f"the value is {canary}")  # noqa: G004
            logging.getLogger("library").warning("a constant with %s", canary)
        case "warning":
            warnings.warn(f"beware of the {canary}", stacklevel=1)
        case "greenlet":
            gevent.spawn(int, canary).join()
        case "unraisable":
            Unprintable()
            gc.collect()
    return "done"


TOOLS = (add, break_down, count_greenlets, hang, long_text, stall, write_astray)
COLLECTIONS = (
    Collection(
        "open-notes",
        columns=(Column("userId", attribute="user_id"), Column("title", attribute="title")),
        permissions={"*": {"read": True}},
        model=Chat,
    ),
)
