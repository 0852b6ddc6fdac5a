"""One turn, end to end: request, tools, stream, rows."""

from tests.people import text_of, types


def test_a_text_answer_is_streamed_and_stored(alice):
    chat = alice.new_chat()
    chunks = alice.turn(chat, "repeat after me: hello there")
    assert types(chunks)[:3] == ["start", "start-step", "text-start"]
    assert types(chunks)[-3:] == ["text-end", "finish-step", "finish"]
    assert text_of(chunks) == "hello there"
    user, assistant = alice.rows(chat)
    assert (user["role"], user["content"]) == ("user", "repeat after me: hello there")
    assert (assistant["role"], assistant["content"]) == ("assistant", "hello there")
    assert "parts" not in user
    assert assistant["parts"] == [
        {"type": "step-start"},
        {"type": "text", "text": "hello there", "state": "done"},
    ]
