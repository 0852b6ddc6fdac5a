"""Replacements for parts of gunicorn and gevent that none of their settings changes."""

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
from gunicorn.errors import HaltServer

from service.observing.measures import RESTARTS
from service.observing.metric_files import FULL
from service.raw_sockets import CHUNK, send_all
from serving import parking, refusals
from serving.response import JoinedResponse
from serving.timed_requests import RequestLimits, timed_parser

PEERS = 1000  # addresses whose check is remembered
# Errors for lack of room: for a process, memory, a file on the disk, or an open file.
NO_ROOM = (errno.EAGAIN, errno.ENOMEM, *FULL, errno.ENFILE, errno.EMFILE)


def write(sock: Any, data: bytes, chunked: bool = False) -> None:
    """Write as gunicorn does, but without `sendall`."""
    send_all(sock, CHUNK % (len(data), data) if chunked else data)


def cached_date(http_date: Callable[[float], str]) -> Callable[..., str]:
    """Return gunicorn's function for the date of a response, with a cache for a second."""
    date_of = lru_cache(1)(http_date)
    return lambda moment=None: date_of(int(time.time() if moment is None else moment))


def remembered(is_in_allow_list: Callable[..., bool]) -> Callable[..., bool]:
    """Return gunicorn's check of a peer's address with a cache. It parses the address each time.

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
    """Return gunicorn's start of a worker, without an error if there is no room for the worker.

    gunicorn then tries again a second later. With the error it would end with all workers, for
    example after the kernel has killed one of them for lack of memory.
    """

    def spawn(arbiter: Any) -> Any:
        mask = os.umask(0o077)
        os.umask(mask)
        try:
            pid = spawn_worker(arbiter)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            os.umask(mask)  # gunicorn keeps its own mask if it can't make a worker's file
            arbiter.worker_age -= 1  # the number of workers started so far
            arbiter.log.error("worker not started", extra={"facts": {"error": error.strerror}})
            return None
        if arbiter.worker_age > arbiter.num_workers:  # the first ones count up to `num_workers`
            RESTARTS.inc()
        return pid

    return spawn


def halting_once(reap_workers: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return gunicorn's collection of ended workers, without an error while the master halts.

    A worker that could not boot halts the master, which then collects the others. If another one of
    them could not boot, the error would end the master with a traceback, before the workers end.
    """

    def reap(arbiter: Any) -> None:
        try:
            reap_workers(arbiter)
        except HaltServer:
            if arbiter.LISTENERS:  # they are closed at the beginning of a halt
                raise

    return reap


def install(head: float, body: float, idle: float) -> None:
    """Replace gunicorn's parser, response, pool and writers and set the limits, in seconds."""
    RequestLimits.head, RequestLimits.body, RequestLimits.idle = head, body, idle
    # Accept few connections in each round of the event loop, so that earlier ones are served too.
    # One per round would cost a tenth more for each turn, because tokens then share fewer writes.
    BaseServer.max_accept = 4
    Arbiter.spawn_worker = persistent(Arbiter.spawn_worker)
    Arbiter.reap_workers = halting_once(Arbiter.reap_workers)
    gunicorn.http.get_parser = timed_parser
    gunicorn.http.message._ip_in_allow_list = remembered(gunicorn.http.message._ip_in_allow_list)
    gunicorn.http.wsgi.Response = JoinedResponse
    gunicorn.workers.ggevent.Pool = parking.Places
    gunicorn.util.http_date = cached_date(gunicorn.util.http_date)
    gunicorn.util.write = write
    gunicorn.util.write_error = refusals.write_error
