"""The headers of a response that is a stream of server-sent events."""

EVENTS = "text/event-stream"
HEADERS = {
    "Content-Type": EVENTS,
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",  # or nginx would collect the events before it sends them
}
