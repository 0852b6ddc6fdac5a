"""The log of a turn's chunks gives them back as they were put in, from any number on."""

import pytest

from service.chat.stream.chunk_log import ChunkLog
from service.chat.stream.chunks import StartStep, TextDelta, TextEnd, TextStart
from service.chat.stream.parts import Assembly
from service.generation.arriving_text import ArrivingText
from tests.call_counts import count_calls

PIECES = ["one ", "é", "🙂🙂", "", "\n\"quoted\"", "end"]  # fmt: skip


def text(name, pieces):
    return [TextStart(name), *(TextDelta(name, piece) for piece in pieces), TextEnd(name)]


CHUNKS = [
    StartStep(),
    *text("a", PIECES),
    StartStep(),  # between two texts
    TextStart("b"),
    TextDelta("b", "x"),
    StartStep(),  # within a text
    *(TextDelta("b", piece) for piece in PIECES),
]


def logged(chunks):
    assembly = Assembly()
    log = ChunkLog(assembly.open_text)
    for chunk in chunks:
        assembly.apply(chunk)
        log.add(chunk)
    return log


@pytest.mark.parametrize("number", range(len(CHUNKS) + 1))
def test_a_reader_gets_the_chunks_behind_each_position(number):
    log = logged(CHUNKS)
    assert len(log) == len(CHUNKS)
    assert list(log.after(number)) == CHUNKS[number:]


def test_the_cost_of_a_text_does_not_grow_with_the_number_of_texts():
    few, many = (
        [chunk for number in range(texts) for chunk in text(str(number), ["x"])]
        for texts in (100, 1000)
    )
    assert count_calls(lambda: logged(many)) < 11 * count_calls(lambda: logged(few))


@pytest.mark.parametrize("ahead", [0, 3])
def test_a_text_may_be_assembled_ahead_of_the_log(ahead):
    """Several texts that arrive together are assembled before they are logged."""
    assembly = Assembly()
    log = ChunkLog(assembly.open_text)
    chunks = text("a", PIECES)[:-1]
    for chunk in chunks:
        assembly.apply(chunk)
    for chunk in chunks[: len(chunks) - ahead]:
        log.add(chunk)
    assert list(log.after(2)) == chunks[2 : len(chunks) - ahead]


def test_a_text_is_its_pieces_joined():
    said = ArrivingText()
    assert (str(said), bool(said)) == ("", False)
    for piece in PIECES:
        said.append(piece)
    assert (str(said), bool(said)) == ("".join(PIECES), True)
    assert list(said.pieces(0, len(PIECES))) == PIECES
    assert list(said.pieces(2, 4)) == PIECES[2:4]
