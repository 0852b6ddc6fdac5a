"""The specification's numbers at their edges. Source: docs/contract.md, "Limits"."""

import pytest

from service.chat.history.compaction import compact_history, history_of
from service.chat.history.limits import Limits
from service.chat.history.messages import StoredMessage
from service.chat.history.shortening import SHORTENED, shorten_messages
from service.chat.tools.result_size import limit_size, size
from service.providers.prompt import Prompt, ToolResults, UserMessage
from service.providers.tokens import bound
from tests.call_counts import count_calls

LIMITS = Limits(budget=240_000, ceiling=180_000)
C_LIMITS = Limits(budget=240_000, ceiling=120_000)


def talk(count: int, said: str) -> list[StoredMessage]:
    roles = ("user", "assistant")
    return [StoredMessage(n + 1, roles[n % 2], said) for n in range(count)]


def answer(*results: str) -> StoredMessage:
    """An assistant's row of one step with that many calls."""
    called = {"type": "tool-x", "state": "output-available", "input": {}}
    parts = [{**called, "toolCallId": f"c{n}", "output": r} for n, r in enumerate(results)]
    return StoredMessage(0, "assistant", "", parts)


def compact(rows, content="", limits=LIMITS, summary="short"):
    asked = []
    history = compact_history(
        history_of(rows, None, UserMessage(content)),
        limits,
        lambda h, cut: asked.append(cut) or summary,
    )
    return history, asked


def results_of(messages):
    return [r.content for m in messages if isinstance(m, ToolResults) for r in m.results]


def test_240_000_characters_are_sent_as_they_are_and_one_more_is_not():
    rows = talk(24, "x" * 9_999)
    history, asked = compact(rows, "y" * 24)
    assert (history.stages, asked) == ((), [])
    history, asked = compact(rows, "y" * 25)
    assert (history.stages, asked) == (("summarized",), [12])
    assert len(history.rows) == 12


def test_call_arguments_and_results_count():
    called = {"type": "tool-x", "toolCallId": "c", "state": "output-available"}
    row = StoredMessage(
        2, "assistant", "", [{**called, "input": {"a": "x" * 992}, "output": "y" * 998}]
    )
    rows = [StoredMessage(1, "user", "q"), row] * 119
    assert compact(rows, "z" * 1_881)[0].stages == ()
    assert compact(rows, "z" * 1_882)[0].stages == ("summarized",)


@pytest.mark.parametrize(("length", "cut"), [(29_998, False), (29_999, True)])
def test_the_sixth_newest_result_is_cut_over_30_000_bytes_and_the_fifth_never(length, cut):
    """Two bytes are the quotes of the JSON text."""
    rows = [StoredMessage(1, "user", "q"), answer(*["r" * length] * 6)]
    results = results_of(compact(rows)[0].messages)
    assert [len(result) for result in results[1:]] == [length + 2] * 5
    assert ("bytes in all" in results[0]) is cut
    assert len(results[0].encode()) <= 30_000


@pytest.mark.parametrize("shift", range(4))
def test_a_cut_falls_between_characters(shift):
    rows = [StoredMessage(1, "user", "q"), answer("a" * shift + "🚢" * 9_000, *["new"] * 5)]
    cut, _, note = results_of(compact(rows)[0].messages)[0].partition("… [")
    assert set(cut[1 + shift :]) == {"🚢"}
    assert note.startswith(f"{36_002 + shift} bytes in all; call the tool again")
    assert 29_900 < len(cut.encode()) < 30_000


def test_a_result_is_cut_at_200_000_bytes_where_it_is_made():
    whole = {"text": "é" * 99_994 + "x"}
    assert size(whole) == 200_000
    assert limit_size(whole) is whole
    cut = limit_size({"text": "é" * 99_995})
    assert cut["truncated"] is True
    assert size(cut) <= 200_000


@pytest.mark.parametrize("summary", ["short", None])
def test_never_fewer_than_ten_messages_are_kept(summary):
    history, _ = compact(talk(60, "x" * 60_000), "new", summary=summary)
    assert len(history.rows) == 10
    sent = shorten_messages(history.messages, LIMITS)
    assert LIMITS.fit(sent)
    assert sent[-1].text == "new"
    assert sum(message.text.endswith(SHORTENED) for message in sent) == 10


def test_no_more_messages_are_left_out_than_necessary():
    history, _ = compact(talk(60, "x" * 9_000), "new", summary=None)
    assert len(history.rows) == 26  # 234 000 characters; 27 would begin with an answer
    assert history.stages == ("window",)
    assert history.dropped == 34


def test_a_cut_moves_back_to_the_nearest_user_message():
    rows = [
        StoredMessage(n, "user" if n in (1, 2, 11, 12) else "assistant", "x" * 12_000)
        for n in range(24)
    ]
    history, asked = compact(rows, "new")
    assert asked == [12]
    rows[12] = rows[11] = rows[3]
    history, asked = compact(rows, "new")
    assert asked == [2]
    assert history.rows[0].row.is_question


DENSE = '{"a":[1,2],"b":{"c":"0x1f"}}'


@pytest.mark.parametrize("said", ["海" * 5_000, DENSE * 500])
def test_tokens_are_counted_where_characters_say_too_little(said):
    rows = talk(24, said)
    tokens = sum(bound(row.content) for row in rows)
    exact = Limits(10_000_000, tokens)
    assert compact(rows, limits=exact)[0].stages == ()
    tighter = Limits(10_000_000, tokens - 1)
    history, _ = compact(rows, limits=tighter)
    assert history.stages == ("summarized",)
    assert tighter.fit(history.messages)


def test_chinese_within_the_characters_is_over_the_ceiling_of_a_128k_model():
    rows = talk(24, "海" * 8_000)
    assert compact(rows)[0].stages == ("summarized",)
    assert compact(rows, limits=C_LIMITS)[0].stages == ("summarized",)
    assert compact(talk(24, "海" * 4_000), limits=C_LIMITS)[0].stages == ()


def test_system_text_and_schemas_count_against_the_ceiling():
    rows = talk(24, "x" * 5_000)  # 60 000 tokens at most
    assert compact(rows, limits=Limits(240_000, 70_000, overhead=10_000))[0].stages == ()
    assert compact(rows, limits=Limits(240_000, 70_000, overhead=10_001))[0].stages != ()


def test_one_result_of_ten_megabytes_loses_its_end_and_nothing_else_does():
    rows = [*talk(10, "said " * 9), StoredMessage(11, "user", "get it"), answer("r" * 10_000_000)]
    history, _ = compact(rows, "and now?", summary=None)
    sent = shorten_messages(history.messages, LIMITS)
    assert LIMITS.fit(sent)
    assert len(results_of(sent)[0]) > 230_000
    assert [m for m in sent if not isinstance(m, ToolResults)] == [
        m for m in history.messages if not isinstance(m, ToolResults)
    ]


def test_a_long_result_takes_no_more_steps_than_a_short_one():
    def work(characters):
        rows = [
            *talk(10, "said " * 9),
            StoredMessage(11, "user", "get it"),
            answer("r" * characters),
        ]
        return lambda: shorten_messages(compact(rows, "and now?", summary=None)[0].messages, LIMITS)

    count_calls(work(300_000))  # what is made once is made by now
    assert count_calls(work(10_000_000)) < 1.5 * count_calls(work(300_000))


def test_of_a_last_turn_over_budget_the_biggest_results_are_shortened():
    sizes = (190_000, 150_000, 100, 20_000, 120_000)
    rows = [StoredMessage(1, "user", "get them"), answer(*["r" * size for size in sizes])]
    history, asked = compact(rows, "and now?")
    sent = shorten_messages(history.messages, LIMITS)
    assert (history.stages, asked) == ((), [])
    lengths = [len(result) for result in results_of(sent)]
    assert lengths[2:4] == [102, 20_002]
    assert max(lengths) - min(lengths[0], lengths[1], lengths[4]) == 0
    assert 239_900 < sum(lengths) < 240_000


def test_a_question_that_is_over_budget_by_itself_stays_whole():
    sent = shorten_messages(compact(talk(4, "x" * 50), "y" * 300_000)[0].messages, LIMITS)
    assert sent[-1].text == "y" * 300_000


def test_a_provider_that_refuses_a_prompt_gets_one_of_half_its_length():
    history, _ = compact(talk(20, "x" * 5_000), "new")
    tighter = LIMITS.halve(history.messages)
    assert tighter.budget == 50_001
    again = compact_history(history, tighter, lambda h, cut: None)
    assert len(again.rows) == 10
    assert tighter.fit(shorten_messages(again.messages, tighter))


def test_what_is_told_beside_a_message_counts_in_every_limit():
    message = UserMessage("hello", "[It is late.]")
    assert Limits(budget=18, ceiling=100).fit([message])
    assert not Limits(budget=17, ceiling=100).fit([message])
    assert not Limits(budget=18, ceiling=bound("hello")).fit([message])
    assert Prompt("", (message,)).tokens > Prompt("", (UserMessage("hello"),)).tokens
