"""Record spans: their ids, their place in the tree, their times and attributes.

Source: W3C Trace Context for `traceparent`.
"""

import json
import re
import secrets
import time
from collections.abc import Callable
from typing import Any

from service.observing import attribution
from service.observing.spans import Span
from service.tracing.encoding import SpanFacts, encode

TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?")
NO_TRACE, NO_PARENT = "0" * 32, "0" * 16


class RecordedSpan:
    """A span that is sent when it ends. While it is current, new spans begin below it."""

    def __init__(self, tracer: "Recorder", facts: SpanFacts, current: bool) -> None:
        self._tracer, self._facts, self._is_current = tracer, facts, current
        self._began = time.monotonic_ns()
        self._is_ended = False
        if current:
            known = attribution.current_facts()
            self._outer = {name: known[name] for name in ("trace_id", "span_id") if name in known}
            attribution.bind(trace_id=facts.trace_id, span_id=facts.span_id)

    def set(self, **attributes: Any) -> None:
        given = {name.replace("__", "."): value for name, value in attributes.items()}
        self._facts.attributes |= {n: value for n, value in given.items() if value is not None}

    def content(self, **texts: Callable[[], Any]) -> None:
        if self._tracer.has_content:
            given = {name: made() for name, made in texts.items()}
            as_text = {n: v if isinstance(v, str) else _json(v) for n, v in given.items()}
            self.set(**as_text)

    def fail(self, kind: str) -> None:
        self._facts.is_failed = True
        self.set(error__type=kind)

    def end(self) -> None:
        if self._is_ended:
            return
        self._is_ended = True
        self._facts.end = self._facts.start + time.monotonic_ns() - self._began
        self._tracer.add(encode(self._facts))
        if self._is_current and attribution.current_facts().get("span_id") == self._facts.span_id:
            attribution.bind(**self._outer)

    def __enter__(self) -> Span:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not self._facts.is_failed:
            self.fail("interrupted" if not issubclass(kind, Exception) else kind.__name__)
        self.end()


class Recorder:
    """Begins spans. `add` gets each ended span, encoded."""

    def __init__(self, add: Callable[[bytes], None], has_content: bool) -> None:
        self.add, self.has_content = add, has_content

    def start(self, name: str, kind: str, current: bool) -> Span:
        known = attribution.current_facts()
        return self._span(name, kind, known.get("trace_id"), known.get("span_id"), current)

    def start_request(self, name: str, traceparent: str) -> Span:
        match = TRACEPARENT.fullmatch(traceparent.strip())
        trace_id, parent = match.groups() if match else ("", "")
        if trace_id == NO_TRACE or parent == NO_PARENT:
            trace_id = parent = ""
        return self._span(name, "server", trace_id, parent, True)

    def _span(
        self, name: str, kind: str, trace_id: str | None, parent: str | None, current: bool
    ) -> Span:
        trace_id = trace_id or secrets.token_hex(16)
        span_id = secrets.token_hex(8)
        facts = SpanFacts(name, kind, trace_id, span_id, parent or "", time.time_ns())
        return RecordedSpan(self, facts, current)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
