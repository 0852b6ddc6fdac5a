"""The upstreams of a load: a model that calls a tool when it is told to, and a vendor that counts.

What the model does is in the user's text, as in tests/faults/model.py: `words=8 rate=100` is a text
of so many words, and `note=a-title` makes it create a note of this title first.
"""

import json
import re
from collections import Counter

import gevent

from service.integrations.declare.example import File
from tests.faults.model import RawModel
from tests.integrations.scripted_vendor import Asked, Said, ScriptedVendor

NOTE = re.compile(r"note=(\S+)")
PAGES = json.loads(File("exa/search.json").content())


class Model(RawModel):
    """A tool call for a text with `note=`, and a text for everything else."""

    def _answer(self, sock, text: str) -> bool:
        note = NOTE.search(text)
        if not note:
            return super()._answer(sock, text)
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                     b"Transfer-Encoding: chunked\r\n\r\n")  # fmt: skip
        self._send(sock, *creation(note[1]))
        sock.sendall(b"0\r\n\r\n")
        return True


def creation(title: str) -> list[dict]:
    """The events of a message that is one call of `records.create`."""
    block = {"type": "tool_use", "id": "call", "name": "records__create", "input": {}}
    given = json.dumps({"collection": "notes", "data": {"title": title, "text": "of a tool"}})
    delta = {"type": "input_json_delta", "partial_json": given}
    ending = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}
    return [
        {"type": "message_start", "message": {"usage": {"input_tokens": 10}}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {**ending, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


class Vendor(ScriptedVendor):
    """Answers a search after `seconds`, and counts the requests for each query."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self._seconds = seconds
        self.says(self._count)

    def _count(self, asked: Asked) -> Said:
        self.counts[asked.json["query"]] += 1
        self.seen.clear()  # a long load would fill the memory
        gevent.sleep(self._seconds)
        return Said(PAGES)
