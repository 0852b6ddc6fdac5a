"""Turns of a person: begun and not yet read to their end, or with one call of a tool."""

import json

from service.chat.stream.chunks import from_json
from service.chat.stream.parts import Assembly

NOTES = {"collection": "notes"}


def begin_turn(person, chat, content="count to 3000", words=3, **body):
    """A turn that has said some words, and the rest of its stream."""
    response = person.ask(chat, content, **body)
    stream, read = iter(response.response), b""
    while read.count(b"text-delta") < words:
        read += next(stream)
    return response, stream, read


def is_idle(app):
    """Whether no turn runs, for `wait_for`."""
    return lambda: len(app.extensions["runs"]) == 0


def assemble(chunks):
    """The parts as a client puts them together; a stream that lacks a chunk breaks it."""
    assembly = Assembly()
    for chunk in chunks:
        assembly.apply(from_json(chunk))
    return assembly.parts


def call_tool(person, chat, name, **given):
    """The chunk that ends a call made by the sandbox's assistant."""
    chunks = person.turn(chat, f"call {name} with {json.dumps(given)}")
    return next(chunk for chunk in chunks if chunk["type"].startswith("tool-output-"))
