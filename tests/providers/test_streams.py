"""Our own streams, each read in every size of piece and with both line endings."""

import pytest

from service.providers.events import (
    CallFragment,
    CallStarted,
    PromptCounted,
    ProviderError,
    StepFinished,
    TextFragment,
    TextStarted,
)
from tests.providers.expected_streams import ANSWERS, FAULTS
from tests.providers.stream_reading import (
    BC,
    LINE_ENDS,
    NAMES,
    SIZES,
    A,
    answer_of,
    decoder_of,
    events_of,
    read,
    stream_bytes,
    streamed_calls,
    wire_of,
)


def test_every_stream_has_its_line_in_a_table():
    assert sorted(ANSWERS | FAULTS) == NAMES


@pytest.mark.parametrize("line_end", LINE_ENDS, ids=["LF", "CRLF"])
def test_each_stream_reads_alike_in_every_size_of_piece(line_end):
    for name in ANSWERS:
        data = stream_bytes(name, line_end)
        whole = events_of(data, wire_of(name))
        assert answer_of(whole) == ANSWERS[name], name
        for size in SIZES:
            assert events_of(data, wire_of(name), size) == whole, (name, size)


@pytest.mark.parametrize("line_end", LINE_ENDS, ids=["LF", "CRLF"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_failing_stream_raises_its_fault_in_every_size_of_piece(name, line_end):
    data = stream_bytes(name, line_end)
    for size in SIZES:
        with pytest.raises(ProviderError) as raised:
            events_of(data, wire_of(name), size)
        assert raised.value.fault == FAULTS[name], size


def test_what_was_streamed_of_a_call_is_what_it_finishes_with():
    for name in ANSWERS:
        events = events_of(stream_bytes(name), wire_of(name))
        streamed = streamed_calls(events)
        for call in events[-1].calls:
            if call.key in streamed:
                called, arguments = streamed[call.key]
                assert (called, arguments.strip() or "{}") == (call.name, call.arguments), name
            else:
                assert call.fault == "refused" or call.name == "unknown", name


def test_a_call_is_shown_while_it_grows():
    events = events_of(stream_bytes("a-tool"), wire_of("a-tool"))
    assert events[:7] == [
        PromptCounted(20),
        TextStarted(),
        TextFragment("Let me look."),
        CallStarted(0, "weather.read"),
        CallFragment(0, '{"ci'),
        CallFragment(0, 'ty": "Tromsø'),
        CallFragment(0, '"}'),
    ]


def test_an_empty_text_is_no_event():
    for name in ANSWERS:
        events = events_of(stream_bytes(name), wire_of(name))
        assert all(event.text for event in events if isinstance(event, TextFragment)), name


def test_a_late_name_brings_the_held_fragments_along():
    events = events_of(stream_bytes("bc-late-name"), wire_of("bc-late-name"))
    assert events[:2] == [
        CallStarted(0, "weather.read"),
        CallFragment(0, '{"city":"Bergen"}'),
    ]
    assert isinstance(events[2], StepFinished)  # the nameless call was never shown


def test_a_second_message_start_voids_the_calls_but_not_their_numbers():
    events = events_of(stream_bytes("a-second-message-start"), wire_of("a-second-message-start"))
    assert streamed_calls(events) == {0: ("notes.add", '{"note":'), 1: ("clock.now", "{}")}
    assert [call.key for call in events[-1].calls] == [1]


def test_text_before_an_error_is_given_out_first():
    events = read(stream_bytes("a-error-after-text"), decoder_of(A))
    first = [next(events), next(events), next(events)]
    assert first == [PromptCounted(20), TextStarted(), TextFragment("half")]
    with pytest.raises(ProviderError, match="down"):
        next(events)


def test_what_the_cache_gave_is_told_at_the_beginning():
    assert events_of(stream_bytes("a-usage-grows"), A)[0] == PromptCounted(203, 0, 200)


def test_a_step_knows_whether_the_host_refused_a_call():
    assert events_of(stream_bytes("bc-tool-use-failed"), BC)[-1].is_refused
    assert not events_of(stream_bytes("bc-max-tokens-in-tool"), BC)[-1].is_refused
