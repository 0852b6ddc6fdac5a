"""The reader of server-sent events, over every way in which bytes can arrive."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.providers.events import ProviderError
from service.providers.sse import LINE_LIMIT, EventReader, ServerSentEvent
from tests.providers.stream_reading import SIZES, pieces, repeatable

BOM = b"\xef\xbb\xbf"
LINE_ENDS = [b"\n", b"\r", b"\r\n"]
RICH = """\
: a comment, and then a greeting
event: greeting
id: 1
retry: 3000
data: {"text":"Grüße 世界 🌍"}

data: {"text":"one\u2028line\u2029still\u0085one\x0bline\x0cof\x1cit"}

data:no space
data
data:   three spaces

event: without data

event: last
data: a:b: c

""".encode()
RICH_EVENTS = [
    ServerSentEvent("greeting", '{"text":"Grüße 世界 🌍"}'.encode()),
    ServerSentEvent(
        "", '{"text":"one\u2028line\u2029still\u0085one\x0bline\x0cof\x1cit"}'.encode()
    ),
    ServerSentEvent("", b"no space\n\n  three spaces"),
    ServerSentEvent("last", b"a:b: c"),
]


def events_in(*parts: bytes) -> list[ServerSentEvent]:
    reader = EventReader()
    events = [event for part in parts for event in reader.feed(part)]
    return [*events, *reader.close()]


@pytest.mark.parametrize("line_end", LINE_ENDS, ids=["LF", "CR", "CRLF"])
@pytest.mark.parametrize("begin", [b"", BOM], ids=["plain", "BOM"])
def test_events_are_the_same_in_every_size_of_piece(line_end, begin):
    data = begin + RICH.replace(b"\n", line_end)
    for size in SIZES:
        assert events_in(*pieces(data, size)) == RICH_EVENTS, size


@pytest.mark.parametrize("line_end", LINE_ENDS, ids=["LF", "CR", "CRLF"])
def test_a_cut_at_any_place_changes_nothing(line_end):
    data = BOM + RICH.replace(b"\n", line_end)
    for cut in range(len(data) + 1):
        assert events_in(data[:cut], data[cut:]) == RICH_EVENTS, cut


line_bytes = st.one_of(
    st.sampled_from([b"data", b"event", b":", b" ", b"\n", b"\r", b"\r\n", b"\n\n", BOM, b"x"]),
    st.sampled_from(["🌍".encode(), "\u2028".encode(), b"data: {}\n\n", b"data: a\r\n\r\n"]),
    st.binary(max_size=3),
)


@repeatable(400)
@given(parts=st.lists(line_bytes, max_size=40).map(b"".join), cuts=st.lists(st.integers(0, 120)))
def test_any_bytes_cut_anyhow_give_the_same_events(parts, cuts):
    edges = [0, *sorted(min(cut, len(parts)) for cut in cuts), len(parts)]
    cut_up = [parts[begin:end] for begin, end in zip(edges, edges[1:], strict=False)]
    assert events_in(*cut_up) == events_in(parts)


texts = st.text(st.characters(exclude_characters="\r\n", codec="utf-8"))


@repeatable(200)
@given(
    wanted=st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), max_size=5),
    line_end=st.sampled_from(LINE_ENDS),
    size=st.sampled_from(SIZES),
)
def test_what_was_written_is_read_back(wanted, line_end, size):
    written = b""
    for name, lines in wanted:
        fields = [f"event: {name}", *(f"data: {line}" for line in lines), ": comment", ""]
        written += b"".join(field.encode() + line_end for field in fields)
    read = [(event.name, event.data.decode()) for event in events_in(*pieces(written, size))]
    assert read == [(name, "\n".join(lines)) for name, lines in wanted]


def test_one_mark_at_the_beginning_is_dropped_and_no_other():
    assert events_in(BOM + b"data: a\n\n") == [ServerSentEvent("", b"a")]
    assert events_in(b"\xef", b"\xbb", b"\xbf", b"data: a\n\n") == [ServerSentEvent("", b"a")]
    assert events_in(BOM + BOM + b"data: a\n\n") == []
    assert events_in(b"data: " + BOM + b"a\n\n") == [ServerSentEvent("", BOM + b"a")]
    assert events_in(b"data: a\n\n" + BOM + b"data: b\n\n") == [ServerSentEvent("", b"a")]


def test_an_event_is_given_out_as_soon_as_its_blank_line_is_there():
    reader = EventReader()
    assert list(reader.feed(b"data: 1\n")) == []
    assert list(reader.feed(b"\n")) == [ServerSentEvent("", b"1")]
    assert list(reader.feed(b"data: 2\r\n\r\ndata: 3")) == [ServerSentEvent("", b"2")]
    assert list(reader.feed(b"\r")) == []
    assert list(reader.feed(b"\n\r\n")) == [ServerSentEvent("", b"3")]
    assert list(reader.close()) == []


@pytest.mark.parametrize("tail", [b"", b"\n", b"\r", b"\r\n"])
def test_an_unterminated_last_event_is_given_by_close(tail):
    reader = EventReader()
    assert list(reader.feed(b"event: end\ndata: {}" + tail)) == []
    assert list(reader.close()) == [ServerSentEvent("end", b"{}")]
    assert list(reader.close()) == []


def test_an_event_without_data_is_none_and_leaves_no_name_behind():
    assert events_in(b"event: ping\n\ndata: a\n\n") == [ServerSentEvent("", b"a")]
    assert events_in(b"event: ping\n\n", b": only a comment\n\n", b"\n\n\n") == []
    assert events_in(b"data:\n\n") == [ServerSentEvent("", b"")]


def test_a_name_that_is_no_text_is_read_with_replacements():
    assert events_in(b"event: \xff\ndata: \xff\n\n") == [ServerSentEvent("\ufffd", b"\xff")]


def test_fields_are_told_apart_by_their_whole_names():
    assert events_in(b"datax: 1\nDATA: 2\n data: 3\nevents: 4\ndata: 5\n\n") == [
        ServerSentEvent("", b"5")
    ]


def test_an_endless_line_is_garbled():
    reader, quarter = EventReader(), b"x" * (LINE_LIMIT // 4)
    for _ in range(4):
        assert list(reader.feed(quarter)) == []
    with pytest.raises(ProviderError, match="garbled"):
        list(reader.feed(b"x"))


def test_a_long_line_within_the_limit_is_read():
    line = b"data: " + b"y" * (1 << 20)
    (event,) = events_in(*pieces(line + b"\n\n", 8192))
    assert event.data == line[6:]


class Counted(bytes):
    """Counts the bytes that joining it to what came before copies."""

    copied = 0

    def __radd__(self, before: bytes) -> bytes:
        Counted.copied += len(before) + len(self)
        return bytes(before) + bytes(self)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_a_line_in_many_pieces_is_copied_a_few_times_and_not_once_a_piece(end):
    line = b"data: " + b"x" * 100_000 + end + end
    reader, Counted.copied = EventReader(), 0
    fed = [event for piece in pieces(line, 10) for event in reader.feed(Counted(piece))]
    assert [len(event.data) for event in fed] == [100_000]
    assert Counted.copied < 3 * len(line)


def test_a_line_without_an_end_is_refused_however_it_comes():
    parts = [b"x" * (1 << 16)] * (LINE_LIMIT // (1 << 16) + 2)
    with pytest.raises(ProviderError, match="garbled"):
        events_in(*parts)
