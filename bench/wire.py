"""Tokens that can be checked, HTTP chunks, and the clock that all processes share.

A token is `index.time` and a separator: its number in the reply, and the time when the upstream
sent it, in microseconds of the monotonic clock (the same for all processes of a machine), in
base 36. The separators alternate, so that escaping is checked too.
"""

import re
import time
from dataclasses import dataclass

SEPARATORS = ("\n", '"', "é", "\U0001f600")
ESCAPED = ("\\n", '\\"', "é", "\U0001f600")  # inside a JSON string, as the upstream sends them
TOKEN = re.compile('(\\d+)\\.([0-9a-z]+)([\n"é\U0001f600])')
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
QUESTION = re.compile(rb"bench tokens=(\d+) rate=([\d.]+) burst=(\d+) steps=(\d+)")
LAST_CHUNK = b"0\r\n\r\n"


def micros() -> int:
    return time.monotonic_ns() // 1000


def base36(number: int) -> str:
    digits = ""
    while number:
        number, last = divmod(number, 36)
        digits = DIGITS[last] + digits
    return digits


def token(index: int, sent: int) -> str:
    """A token as it stands inside a JSON string; `sent` in microseconds."""
    return f"{index}.{base36(sent)}{ESCAPED[index % 4]}"


@dataclass(frozen=True)
class Asked:
    """A question in a request's body, which it leaves at `end`."""

    tokens: int
    rate: float
    burst: int
    steps: int
    end: int


def question(tokens: int, rate: float, burst: int = 1, steps: int = 1) -> str:
    """The user's text that requests a reply: `rate` in tokens/s, `burst` tokens per write.

    All but the last of `steps` call a tool.
    """
    return f"bench tokens={tokens} rate={rate:g} burst={burst} steps={steps}"


def read_question(body: bytes) -> Asked:
    """The newest question in a request's body."""
    *_, found = QUESTION.finditer(body)
    tokens, rate, burst, steps = found.groups()
    return Asked(int(tokens), float(rate), int(burst), int(steps), found.end())


def chunk(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(body), body)


class Chunked:
    """Decodes a chunked body; a chunk is returned when it is complete."""

    __slots__ = ("_rest", "ended")

    def __init__(self) -> None:
        self._rest = b""
        self.ended = False

    def feed(self, data: bytes) -> bytes:
        """The content of the chunks that are complete. Raises `ValueError` for invalid framing."""
        data = self._rest + data
        bodies, start = [], 0
        while (line := data.find(b"\r\n", start)) >= 0:
            size = int(data[start:line], 16)
            end = line + 2 + size
            if len(data) < end + 2:
                break
            start = end + 2
            self.ended = size == 0
            bodies.append(data[line + 2 : end])
        self._rest = data[start:]
        return b"".join(bodies)


def head_and_body(data: bytes) -> tuple[bytes, bytes] | None:
    """The head and body of a complete message, or None if it is incomplete."""
    head, found, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE)
    if not found or len(body) < (int(length[1]) if length else 0):
        return None
    return head, body
