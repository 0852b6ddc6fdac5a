"""One turn, end to end: request, tools, stream, rows."""

import json

import pytest

from service.outbound.exchange import HttpExchange
from tests import model_streams
from tests.chat.scripted_steps import answer
from tests.people import chunks_of, text_of, types
from tests.services import on_sqlite
from tests.upstream import Answer

MODELS = ["llm-sonnet-4-6", "gen-5.4", "oss-120b"]  # one for each wire


@on_sqlite
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


@on_sqlite
def test_header_start_chunk_and_row_bear_one_id(alice):
    chat = alice.new_chat()
    response = alice.ask(chat, "hello")
    first = json.loads(response.get_data().split(b"\n\n")[1].removeprefix(b"data: "))
    record = alice.records("ai-messages", where={"role": "assistant"})[0]
    assert response.headers["X-Asst-Id"] == first["messageId"] == record["recordId"]


@on_sqlite
def test_the_user_row_bears_the_clients_id(alice):
    chat = alice.new_chat()
    alice.turn(chat, "hello", userMessageId="from-the-client")
    assert alice.get("/api/records/ai-messages/from-the-client").status_code == 200


@on_sqlite
@pytest.mark.parametrize("model", MODELS)
def test_two_tools_run_in_one_step_and_their_results_go_back(alice, model):
    chat = alice.new_chat()
    chunks = alice.turn(chat, "Which collections are there, and who am I?", modelId=model)
    outputs = [chunk["output"] for chunk in chunks if chunk["type"] == "tool-output-available"]
    built_in = ["ai-chats", "ai-messages", "ai-turns", "users", "integration-calls", "canvases"]
    assert outputs[0] == {"collections": [*built_in, "notes", "tasks"]}
    assert outputs[1]["recordId"] == "alice"
    assert types(chunks).count("start-step") == 2
    assert text_of(chunks).endswith("You are alice.")
    kinds = [part["type"] for part in alice.rows(chat)[1]["parts"]]
    tools = ["tool-schema.list", "tool-user.current"]
    assert kinds == ["step-start", *tools, "step-start", "text"]


@on_sqlite
def test_input_that_fails_its_schema_is_told_to_the_model(alice):
    chat = alice.new_chat()
    chunks = alice.turn(chat, "use invalid input")
    failed = next(chunk for chunk in chunks if chunk["type"] == "tool-input-error")
    assert failed["toolName"] == "schema.describe"
    assert failed["input"] == {"name": 5}
    assert "Missing data" in failed["errorText"]
    part = alice.rows(chat)[1]["parts"][1]
    assert (part["state"], part["rawInput"]) == ("output-error", {"name": 5})
    assert "Missing data" in text_of(chunks)


@on_sqlite
@pytest.mark.parametrize("depth", [200, 201, *range(900, 931, 3), 20_000])
def test_input_of_any_depth_ends_neither_the_turn_nor_the_chat(alice, served_by, stream_of, depth):
    """Near a thousand levels it depends on who calls how much of the stack is left."""
    deep = '{"a":' * depth + "1" + "}" * depth
    call = {"index": 0, "id": "c", "function": {"name": "user__current", "arguments": deep}}
    chunk = {"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    served_by.answers = [Answer(f"data: {json.dumps(chunk)}\n\n"), stream_of("ok")]
    chat = alice.new_chat()
    chunks = alice.turn(chat, "hello", modelId="gen-5.4")
    failed = next(chunk for chunk in chunks if chunk["type"] == "tool-input-error")
    assert ("nested too deep" in failed["errorText"]) is (depth > 200)
    assert text_of(chunks) == "ok"
    assert alice.rows(chat)[1]["parts"][1]["errorText"] == failed["errorText"]
    for model in MODELS:
        assert text_of(alice.turn(chat, "again", modelId=model)) == "ok"


@on_sqlite
def test_a_tool_that_throws_does_not_end_the_turn(alice):
    chunks = alice.turn(alice.new_chat(), "describe nothing-here")
    assert "tool-output-error" in types(chunks)
    assert types(chunks)[-1] == "finish"


@on_sqlite
@pytest.mark.parametrize("model", MODELS)
def test_the_fifth_step_is_text_only(alice, model):
    chunks = alice.turn(alice.new_chat(), "never stop calling tools", modelId=model)
    assert types(chunks).count("start-step") == 5
    assert types(chunks).count("tool-output-available") == 4
    assert types(chunks)[-4:] == ["text-delta", "text-end", "finish-step", "finish"]


@on_sqlite
@pytest.mark.parametrize("model", MODELS)
def test_a_call_made_in_the_last_step_is_neither_run_nor_sent(alice, model):
    content = "/fail call-anyway never stop calling tools"
    chunks = alice.turn(alice.new_chat(), content, modelId=model)
    assert types(chunks).count("tool-input-available") == 4
    assert "limit of tool steps" in text_of(chunks)
    assert types(chunks)[-1] == "finish"


@on_sqlite
def test_each_text_block_of_a_model_is_a_part_of_its_own(alice, served_by):
    blocks = [("text", "first part"), ("text", ""), ("text", "second part")]
    served_by.answers = [lambda seen: answer(seen, blocks)]
    chat = alice.new_chat()
    chunks = alice.turn(chat, "go", modelId="llm-sonnet-4-6")
    assert types(chunks)[2:-2] == ["text-start", "text-delta", "text-end"] * 2
    row = alice.rows(chat)[1]
    assert [part.get("text") for part in row["parts"]] == [None, "first part", "second part"]
    assert row["content"] == "first part\n\nsecond part"


@on_sqlite
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("blank", ["\n\n", " \u00a0\t"])
def test_a_model_that_says_only_white_space_has_said_nothing(alice, served_by, model, blank):
    block = ("text", blank)
    served_by.answers = [lambda seen: answer(seen, [block, ("call", "schema__list", "{}")])]
    chat = alice.new_chat()
    chunks = alice.turn(chat, "go", modelId=model)
    assert text_of(chunks).endswith("limit of tool steps for one answer. Ask me to go on.")
    assert alice.rows(chat)[1]["content"].strip()
    served_by.answers = [lambda seen: answer(seen, [block])]
    assert "nothing to say" in text_of(alice.turn(chat, "go", modelId=model))


@on_sqlite
def test_the_model_sees_what_was_said_before_with_tools_and_results(alice):
    chat = alice.new_chat()
    alice.turn(chat, "who am I")
    alice.turn(chat, "remember that the colour is green")
    assert text_of(alice.turn(chat, "what is the colour?")) == "the colour is green."


@pytest.mark.parametrize("model", MODELS)
def test_text_of_every_kind_arrives_and_is_stored_unchanged(alice, model):
    text = '😀👩‍👩‍👧 \u2028\u2029\u0085 漢字かな \u202eعربي\u202c עברית\u200f é\t"quoted" \\ end'
    chat = alice.new_chat()
    chunks = alice.turn(chat, f"repeat after me: {text}", modelId=model)
    assert text_of(chunks) == text
    user, assistant = alice.rows(chat)
    assert user["content"] == f"repeat after me: {text}"
    assert assistant["content"] == text


@on_sqlite
def test_the_first_completed_turn_names_the_chat(alice):
    chat = alice.new_chat()
    alice.turn(chat, "  What   is\nthis?  ")
    alice.turn(chat, "And this?")
    assert alice.records("ai-chats")[0]["data"]["title"] == "What is this?"


@on_sqlite
def test_a_name_that_was_given_stays(alice):
    chat = alice.new_chat("Mine")
    alice.turn(chat, "hello")
    assert alice.records("ai-chats")[0]["data"]["title"] == "Mine"


def test_created_at_rises_strictly_within_a_chat(alice):
    chat = alice.new_chat()
    for number in range(3):
        alice.turn(chat, f"hello {number}")
    times = [record["createdAt"] for record in alice.records("ai-messages")]
    assert times == sorted(set(times))
    assert len(times) == 6


@on_sqlite
def test_the_metadata_tells_reason_usage_model_and_turn(alice):
    chunks = alice.turn(alice.new_chat(), "who am I", modelId="gen-5.4")
    assert chunks[0]["messageMetadata"]["modelId"] == "gen-5.4"
    assert chunks[0]["messageMetadata"]["turnId"].startswith("turn_")
    last = chunks[-1]["messageMetadata"]
    assert (last["finishReason"], last["steps"]) == ("stop", 2)
    assert last["usage"]["inputTokens"] == 40


@on_sqlite
@pytest.mark.parametrize("model", ["llm-sonnet-4-6", "oss-120b"])
def test_usage_that_the_provider_does_not_tell_is_marked_estimated(alice, model):
    chunks = alice.turn(alice.new_chat(), "/fail no-usage hello", modelId=model)
    usage = chunks[-1]["messageMetadata"]["usage"]
    assert (usage["estimated"], usage["outputTokens"] > 0) == (True, True)


@on_sqlite
@pytest.mark.settings(tools_allowed="schema.list")
def test_only_allowed_tools_are_offered(alice):
    assert "not available: user.current" in text_of(alice.turn(alice.new_chat(), "who am I"))


@on_sqlite
@pytest.mark.settings(extensions="tests.extension")
def test_an_extension_adds_a_tool_and_a_collection(alice):
    chat = alice.new_chat()
    chunks = alice.turn(chat, 'call test.add with {"left": 2, "right": 3}')
    assert {"sum": 5} in [chunk.get("output") for chunk in chunks]
    assert "open-notes" in text_of(alice.turn(chat, "which collections are there?"))


@on_sqlite
@pytest.mark.settings(extensions="tests.extension")
@pytest.mark.parametrize("kind", ["raise", "not-json", "surrogate"])
def test_whatever_a_tool_does_the_turn_goes_on(alice, kind, capfd):
    chunks = alice.turn(alice.new_chat(), f'call test.break with {{"how": "{kind}"}}')
    failed = next(chunk for chunk in chunks if chunk["type"] == "tool-output-error")
    assert failed["errorText"] == "The tool failed."
    assert types(chunks)[-1] == "finish"
    assert "tool failed" in capfd.readouterr().err


@on_sqlite
@pytest.mark.settings(extensions="tests.extension")
def test_a_result_keeps_all_but_the_keys_that_clients_refuse(alice):
    chat = alice.new_chat()
    chunks = alice.turn(chat, 'call test.break with {"how": "poison"}')
    [output] = [c["output"] for c in chunks if c["type"] == "tool-output-available"]
    assert output == {"rows": [{"name": "a"}], "constructor": {"team": "b"}}
    part = next(one for one in alice.rows(chat)[1]["parts"] if one["type"] == "tool-test.break")
    assert part["output"] == output


@on_sqlite
def test_the_model_is_asked_before_the_head_of_the_response_is_sent(served_by, alice, monkeypatch):
    served_by.answers = [Answer(model_streams.anthropic("hello"))]
    alice.turn(alice.new_chat(), "this opens a connection to the model")
    sent, send = [], HttpExchange._send
    monkeypatch.setattr(HttpExchange, "_send", lambda *given: sent.append(1) or send(*given))
    response = alice.ask(alice.new_chat(), "hi")
    assert sent == [1]
    assert types(chunks_of(response.get_data()))[-1] == "finish"
