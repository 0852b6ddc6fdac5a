"""The conversation of `prompts` as each wire has to write it."""

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
NOTHING = {"type": "object", "properties": {}}

MARK = {"cache_control": {"type": "ephemeral"}}
A_TOOLS = [
    {"name": "weather__read", "description": "The weather in a city.", "input_schema": CITY},
    {"name": "clock__now", "description": "The time of day.", "input_schema": NOTHING},
]
A_CALLS = [
    {"type": "tool_use", "id": "call-1", "name": "weather__read", "input": {"city": "Tromsø"}},
    {"type": "tool_use", "id": "call-2", "name": "clock__now", "input": {}},
]
A_RESULTS = [
    {
        "type": "tool_result",
        "tool_use_id": "call-1",
        "content": '{"degrees":-4}',
        "is_error": False,
    },
    {
        "type": "tool_result",
        "tool_use_id": "call-2",
        "content": "no clock",
        "is_error": True,
        **MARK,
    },
]
A_MESSAGES = [
    {
        "role": "user",
        "content": [{"type": "text", "text": "How warm is it in Tromsø, and how late?", **MARK}],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "Let me look."}, *A_CALLS]},
    {"role": "user", "content": A_RESULTS},
]

B_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "weather__read",
            "description": "The weather in a city.",
            "parameters": CITY,
        },
    },
    {
        "type": "function",
        "function": {
            "name": "clock__now",
            "description": "The time of day.",
            "parameters": NOTHING,
        },
    },
]
B_CALLS = [
    {
        "id": "call-1",
        "type": "function",
        "function": {"name": "weather__read", "arguments": '{"city":"Tromsø"}'},
    },
    {"id": "call-2", "type": "function", "function": {"name": "clock__now", "arguments": "{}"}},
]
B_MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How warm is it in Tromsø, and how late?"},
    {"role": "assistant", "content": "Let me look.", "tool_calls": B_CALLS},
    {"role": "tool", "tool_call_id": "call-1", "content": '{"degrees":-4}'},
    {"role": "tool", "tool_call_id": "call-2", "content": "no clock"},
]
