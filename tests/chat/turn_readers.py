"""Reading a running turn beside the client that has asked."""

import re

from tests.people import chunks_of

ID = re.compile(rb"id: (turn_[0-9a-f]{32}:\d+)\n")


def path_of(chat):
    return f"/api/ai/chat/{chat}/stream"


def watch(person, chat, after=""):
    headers = {"Last-Event-ID": after} if after else {}
    return person.get(path_of(chat), headers=headers, buffered=False)


def numbered_chunks(response):
    """The chunks of a stream with ids, which count on without a gap."""
    stream = response.get_data()
    numbers = [int(id.rpartition(b":")[2]) for id in ID.findall(stream)]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    return chunks_of(ID.sub(b"", stream))
