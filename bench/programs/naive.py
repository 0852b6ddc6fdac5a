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
PLACES_URL = os.environ["UPSTREAM_URL"] + "/v1/search"
SECRET = OctKey.import_key(os.environ["AUTH_SECRET"])

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
    text = request.get_json()["content"]
    return Response(_chunks(text), content_type="text/event-stream")


@app.get("/api/integrations/geocode-city")
def places() -> dict[str, object]:
    query = {"name": request.args["city"], "count": request.args["count"], "format": "json"}
    response = requests.get(PLACES_URL, params=query, timeout=30)
    response.raise_for_status()
    return {"success": True, "data": response.json()}


def _chunks(text: str) -> Iterator[str]:
    yield _sse({"type": "start", "messageId": "m"})
    yield _sse({"type": "start-step"})
    yield _sse({"type": "text-start", "id": "0"})
    for delta in _deltas(text):
        yield _sse({"type": "text-delta", "id": "0", "delta": delta})
    yield _sse({"type": "text-end", "id": "0"})
    yield _sse({"type": "finish-step"})
    yield _sse({"type": "finish"})
    yield "data: [DONE]\n\n"


def _deltas(text: str) -> Iterator[str]:
    body = {"model": "bench", "max_tokens": 8192, "stream": True}
    body["messages"] = [{"role": "user", "content": [{"type": "text", "text": text}]}]
    with requests.post(URL, json=body, stream=True, timeout=30) as response:
        response.raise_for_status()
        for line in response.iter_lines():
            if not line.startswith(b"data: "):
                continue
            event = json.loads(line[6:])
            if event["type"] == "content_block_delta":
                yield event["delta"]["text"]


def _sse(chunk: dict[str, str]) -> str:
    return f"data: {json.dumps(chunk)}\n\n"
