"""Replacements for parts of gunicorn and gevent that no setting of theirs changes."""

import errno
import os
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import gunicorn.http
import gunicorn.http.message
import gunicorn.http.wsgi
import gunicorn.util
import gunicorn.workers.ggevent
from gevent.baseserver import BaseServer
from gunicorn.arbiter import Arbiter

from service.observing.measures import RESTARTS
from service.observing.metric_files import FULL
from service.raw_sockets import CHUNK, send_all
from serving import parking, refusals
from serving.response import JoinedResponse
from serving.timed_requests import RequestLimits, timed_parser

PEERS = 1000  # addresses whose check is remembered
# For a further process, its memory or its file, on the disk or among the open ones.
NO_ROOM = (errno.EAGAIN, errno.ENOMEM, *FULL, errno.ENFILE, errno.EMFILE)


def write(sock: Any, data: bytes, chunked: bool = False) -> None:
    """Write as gunicorn does, but without `sendall`."""
    send_all(sock, CHUNK % (len(data), data) if chunked else data)


def cached_date(http_date: Callable[[float], str]) -> Callable[..., str]:
    """gunicorn's date of a response, which is the same for all of a second."""
    date_of = lru_cache(1)(http_date)
    return lambda moment=None: date_of(int(time.time() if moment is None else moment))


def remembered(is_in_allow_list: Callable[..., bool]) -> Callable[..., bool]:
    """gunicorn's check of a peer's address, which parses it anew for each request.

    The lists belong to the configuration, which lasts as long as the process.
    """
    known: dict[tuple[str, int], bool] = {}

    def check(address: str, allowed: list[str], networks: list[Any]) -> bool:
        key = address, id(allowed)
        if key not in known:
            if len(known) >= PEERS:
                known.clear()
            known[key] = is_in_allow_list(address, allowed, networks)
        return known[key]

    return check


def persistent(spawn_worker: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """gunicorn's start of a worker, which is tried again a second later if there is no room for
    one. gunicorn would end with all workers, for example when the kernel has killed one of them
    for want of memory."""

    def spawn(arbiter: Any) -> Any:
        mask = os.umask(0o077)
        os.umask(mask)
        try:
            pid = spawn_worker(arbiter)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            os.umask(mask)  # gunicorn leaves its own if it can't make a worker's file
            arbiter.worker_age -= 1  # it counts the workers that were started
            arbiter.log.error("worker not started", extra={"facts": {"error": error.strerror}})
            return None
        if arbiter.worker_age > arbiter.num_workers:  # the first ones count up to it
            RESTARTS.inc()
        return pid

    return spawn


def install(head: float, body: float, idle: float) -> None:
    """Replace gunicorn's parser, response, pool and writers and set the limits, in seconds."""
    RequestLimits.head, RequestLimits.body, RequestLimits.idle = head, body, idle
    # A few new connections in each round of the event loop: those before them go on meanwhile. One
    # alone would cost a tenth more for each turn, because tokens then share fewer writes.
    BaseServer.max_accept = 4
    Arbiter.spawn_worker = persistent(Arbiter.spawn_worker)
    gunicorn.http.get_parser = timed_parser
    gunicorn.http.message._ip_in_allow_list = remembered(gunicorn.http.message._ip_in_allow_list)
    gunicorn.http.wsgi.Response = JoinedResponse
    gunicorn.workers.ggevent.Pool = parking.Places
    gunicorn.util.http_date = cached_date(gunicorn.util.http_date)
    gunicorn.util.write = write
    gunicorn.util.write_error = refusals.write_error
