"""What each stream of `streams/` says. They are our own, written for one oddity each."""

from service.providers.events import Usage
from tests.providers.stream_reading import Answer

GREETING = "Grüße,\u2028世界 🌍\u0085done"
TROMSO = ("weather.read", '{"city": "Tromsø"}', None)
BERGEN = ("weather.read", '{"city":"Bergen"}', None)
OSLO = ("weather.read", '{"city":"Oslo"}', None)
EARTH = ("weather.read", '{"city":"Oslo 🌍"}', None)
NOTE_B = ("notes.add", '{"note":"b"}', None)
PINNED = ("notes.add", '{"note":"a","pinned":true}', None)
CLOCK = ("clock.now", "{}", None)
CUT_NOTE = ("notes.add", '{"note": "a long list of', "cut")
CUT_CLOCK = ("clock.now", "{}", "cut")
REFUSED = ("weather.read", '{"town": "Troms\\u00f8"}', "refused")
UNREADABLE = ("unknown", '{"text": "weather__read(Oslo)"}', "refused")

ASKED = Usage(20, 9)

ANTHROPIC = {
    "a-text": Answer(GREETING, (), Usage(20, 7), "stop"),
    "a-halves": Answer("Oslo 🌍 in the sun🌞 and \ufffdhalf ", (EARTH,), ASKED, "tool-calls"),
    "a-tool": Answer("Let me look.", (TROMSO,), Usage(20, 31), "tool-calls"),
    "a-two-tools": Answer("", (BERGEN, PINNED), ASKED, "tool-calls"),
    "a-tool-no-arguments": Answer("", (CLOCK, CLOCK), ASKED, "tool-calls"),
    "a-tool-input-at-start": Answer(
        "", (("weather.read", '{"city":"Århus"}', None),), ASKED, "tool-calls"
    ),
    "a-whole-at-start": Answer("Both at once.", (BERGEN, CLOCK), ASKED, "tool-calls"),
    "a-whole-and-more": Answer("And more.", (BERGEN, CLOCK), ASKED, "tool-calls"),
    "a-refusal": Answer("", (), Usage(20, 0), "content-filter"),
    "a-max-tokens-in-tool": Answer("Noting", (CUT_NOTE,), Usage(20, 64), "length"),
    "a-context-window-in-second-tool": Answer(
        "", (CUT_CLOCK, ("notes.add", '{"no', "cut")), ASKED, "length"
    ),
    "a-pings-and-padding": Answer("calm", (), ASKED, "stop"),
    "a-second-message-start": Answer("Once more.", (CLOCK,), Usage(30, 12), "tool-calls"),
    "a-thinking": Answer("So: 185", (), ASKED, "stop", progress=2),
    "a-pause": Answer("Searching", (), ASKED, "pause"),
    "a-usage-grows": Answer("ok", (), Usage(1205, 45, 1000, 200), "stop"),
    "a-new-stop-reason": Answer("odd", (), ASKED, "other"),
    "a-no-usage": Answer("free", (), None, "stop"),
    "a-no-usage-at-the-end": Answer("free", (), None, "stop"),
    "a-no-last-blank-line": Answer("whole", (), ASKED, "stop"),
    "a-after-the-end": Answer("said", (), ASKED, "stop"),
}

OPENAI = {
    "bc-text": Answer(GREETING, (), Usage(20, 7, 4), "stop"),
    "bc-halves": Answer("Oslo 🌍 in the sun🌞 and \ufffdhalf ", (EARTH,), ASKED, "tool-calls"),
    "bc-tool": Answer("Let me look.", (TROMSO,), Usage(50, 31), "tool-calls"),
    "bc-two-tools": Answer("", (BERGEN, PINNED), None, "tool-calls"),
    "bc-tool-no-arguments": Answer("", (CLOCK, CLOCK, CLOCK), None, "tool-calls"),
    "bc-refusal": Answer("I can't help with that.", (), Usage(20, 6), "stop"),
    "bc-content-filter": Answer("", (), None, "content-filter"),
    "bc-max-tokens-in-tool": Answer("", (CUT_CLOCK, CUT_NOTE), Usage(50, 64), "length"),
    "bc-comments-and-padding": Answer("calm", (), None, "stop"),
    "bc-reasoning": Answer("185", (), None, "stop", progress=3),
    "bc-groq-usage": Answer("quick", (), Usage(12, 3), "stop"),
    "bc-usage-in-every-chunk": Answer("ab", (), Usage(10, 3), "stop"),
    "bc-empty-choices-first": Answer("Oslo", (), None, "stop"),
    "bc-no-ids": Answer("", (BERGEN, NOTE_B), None, "tool-calls"),
    "bc-empty-ids": Answer("", (BERGEN, NOTE_B), None, "tool-calls"),
    "bc-reused-index-new-ids": Answer("", (BERGEN, OSLO), None, "tool-calls"),
    "bc-first-index-1": Answer("", (BERGEN,), None, "tool-calls"),
    "bc-late-id": Answer("", (BERGEN, OSLO), None, "tool-calls"),
    "bc-ollama-index-0": Answer("", (BERGEN, OSLO, CLOCK), None, "tool-calls"),
    "bc-ollama-no-index": Answer(
        "", (BERGEN, NOTE_B, ("notes.add", '{"note":"c"}', None)), None, "tool-calls"
    ),
    "bc-ollama-no-arguments": Answer("", (CLOCK, OSLO, CLOCK), None, "tool-calls"),
    "bc-no-index-fragments": Answer("", (BERGEN,), None, "tool-calls"),
    "bc-index-only-at-first": Answer("", (BERGEN, NOTE_B), None, "tool-calls"),
    "bc-late-name": Answer("", (BERGEN, ("unknown", "{}", None)), None, "tool-calls"),
    "bc-name-repeated": Answer("", (BERGEN, NOTE_B), None, "tool-calls"),
    "bc-whole-object-grows": Answer("", (("notes.add", "{}", None),), None, "tool-calls"),
    "bc-arguments-as-object": Answer("", (TROMSO,), None, "tool-calls"),
    "bc-content-as-list": Answer("Oslo", (), None, "stop"),
    "bc-mistral-tool": Answer("", (BERGEN,), Usage(40, 22), "tool-calls"),
    "bc-gpt-oss-names": Answer(
        "",
        (BERGEN, NOTE_B, ("no_such_tool", "{}", None), ("unknown", "{}", None)),
        None,
        "tool-calls",
    ),
    "bc-stop-with-tool": Answer("", (CLOCK,), None, "tool-calls"),
    "bc-function-call-reason": Answer("", (CLOCK,), None, "tool-calls"),
    "bc-new-finish-reason": Answer("odd", (), None, "other"),
    "bc-no-done": Answer("whole", (), None, "stop"),
    "bc-no-done-no-blank-line": Answer("whole", (), None, "stop"),
    "bc-after-the-end": Answer("said", (), None, "stop"),
    "bc-tool-use-failed": Answer("", (REFUSED,), None, "tool-calls", progress=1),
    "bc-tool-use-failed-after-call": Answer("", (CUT_CLOCK, UNREADABLE), None, "tool-calls"),
}

ANSWERS = ANTHROPIC | OPENAI

FAULTS = {
    "a-credit-too-low": "refused-key",
    "bc-quota-used-up": "refused-key",
    "bc-model-withdrawn": "unknown-model",
    "a-error-first": "busy",
    "a-error-after-text": "down",
    "a-error-in-billing": "refused-key",
    "a-error-in-request": "refused-request",
    "a-too-long": "too-long",
    "a-error-unheard-of": "failed",
    "a-cut-after-tool": "cut",
    "bc-openrouter-error": "busy",
    "bc-error-in-words": "down",
    "bc-error-in-request": "refused-request",
    "bc-error-as-string": "failed",
    "bc-too-long-as-string": "too-long",
    "bc-groq-stopped": "busy",
    "bc-error-event-only": "failed",
    "bc-done-without-reason": "cut",
    "bc-cut-after-text": "cut",
}
