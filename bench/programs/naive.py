"""The usual way to relay a stream: Flask, gunicorn's gevent worker, requests.post, iter_lines.

`gunicorn -k gevent bench.programs.naive:app` with UPSTREAM_URL and AUTH_SECRET in its
environment. It verifies the bearer token of a chat as such a service would, and stores nothing.
"""

import json
import os
from collections.abc import Iterator

import requests
from flask import Flask, Response, abort, request
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

URL = os.environ["UPSTREAM_URL"] + "/v1/messages"
OPENAI_URL = os.environ["UPSTREAM_URL"] + "/v1/chat/completions"
PLACES_URL = os.environ["UPSTREAM_URL"] + "/v1/search"
SECRET = OctKey.import_key(os.environ["AUTH_SECRET"])

PERSON = {"recordId": "bench", "displayName": "Bench"}  # what its tool answers

app = Flask(__name__)


@app.get("/readyz")
def ready() -> str:
    return "ok"


@app.post("/api/ai/chat")
def answer() -> Response:
    try:
        token = request.headers["Authorization"].removeprefix("Bearer ")
        jwt.JWTClaimsRegistry().validate(jwt.decode(token, SECRET).claims)
    except JoseError:
        abort(401)
    return Response(_chunks(request.get_json()), content_type="text/event-stream")


@app.get("/api/integrations/geocode-city")
def places() -> dict[str, object]:
    query = {"name": request.args["city"], "count": request.args["count"], "format": "json"}
    response = requests.get(PLACES_URL, params=query, timeout=30)
    response.raise_for_status()
    return {"success": True, "data": response.json()}


def _chunks(question: dict[str, str]) -> Iterator[str]:
    yield _sse({"type": "start", "messageId": "m"})
    messages: list[dict[str, object]] = [{"role": "user", "content": question["content"]}]
    while True:
        calls: list[dict[str, str]] = []
        yield _sse({"type": "start-step"})
        yield _sse({"type": "text-start", "id": "0"})
        for delta in _deltas(messages, calls, question.get("modelId")):
            yield _sse({"type": "text-delta", "id": "0", "delta": delta})
        yield _sse({"type": "text-end", "id": "0"})
        yield from _run(calls, messages)
        yield _sse({"type": "finish-step"})
        if not calls:
            break
    yield _sse({"type": "finish"})
    yield "data: [DONE]\n\n"


def _run(calls: list[dict[str, str]], messages: list[dict[str, object]]) -> Iterator[str]:
    """Answer the calls at once, and append both to the messages."""
    for call in calls:
        facts = {"toolCallId": call["id"]}
        yield _sse({"type": "tool-input-available", **facts, "toolName": call["name"], "input": {}})
        yield _sse({"type": "tool-output-available", **facts, "output": PERSON})
        use = {"type": "tool_use", "id": call["id"], "name": call["name"], "input": {}}
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": json.dumps(PERSON)}
        messages.append({"role": "assistant", "content": [use]})
        messages.append({"role": "user", "content": [result]})


def _deltas(
    messages: list[dict[str, object]], calls: list[dict[str, str]], model: str | None
) -> Iterator[str]:
    """The texts of one step; its calls are added to `calls`."""
    body = {"model": "bench", "max_tokens": 8192, "stream": True, "messages": messages}
    with requests.post(OPENAI_URL if model else URL, json=body, stream=True, timeout=30) as answer:
        answer.raise_for_status()
        for line in answer.iter_lines():
            if not line.startswith(b"data: {"):
                continue
            event = json.loads(line[6:])
            if model:
                for choice in event["choices"]:
                    if choice["delta"].get("content"):
                        yield choice["delta"]["content"]
            elif event["type"] == "content_block_start":
                if event["content_block"]["type"] == "tool_use":
                    calls.append(event["content_block"])
            elif event["type"] == "content_block_delta" and "text" in event["delta"]:
                yield event["delta"]["text"]


def _sse(chunk: dict[str, object]) -> str:
    return f"data: {json.dumps(chunk)}\n\n"
