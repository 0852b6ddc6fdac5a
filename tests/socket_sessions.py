"""Sessions of the WebSocket of records, without a handshake and without its request."""

import socket
import time

from flask import Flask

from service.auth.users import Caller
from service.records.session import SocketSession
from service.websockets.frames import Protocol
from service.websockets.websocket import WebSocket
from tests.websocket_handshake import HANDSHAKE


def session_on(ours: socket.socket, app: Flask, seconds: float = 60.0) -> SocketSession:
    """A session of alice on our end of a pair of sockets, whose token ends in `seconds`."""
    connection = WebSocket(ours, Protocol(HANDSHAKE.items(), None), "/")
    caller = Caller("alice", "user", time.time())
    return SocketSession(app, caller, time.time() + seconds, connection)
