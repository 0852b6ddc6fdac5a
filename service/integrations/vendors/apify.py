"""Apify: public posts and profiles of Instagram, read by a program that runs for each call.

A run takes up to minutes and is a job. Each result costs the operator's account about $0.003.
Source: docs.apify.com/api/v2 (actors-runs-post, actor-run-get, actor-run-dataset-items-get) and
apify.com/apify/instagram-scraper.
"""

from dataclasses import replace
from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.credential import bearer
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Choice, Count, Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.limit import Limit
from service.integrations.declare.reading import as_object, objects, text, unusable
from service.integrations.declare.request import Outgoing, get, post
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.shape import (
    Each,
    Int,
    Made,
    Maybe,
    Readable,
    Shape,
    Str,
    Values,
    Within,
)
from service.integrations.declare.task import Job, Task
from service.integrations.declare.vendor import Vendor

MOST = 20  # results
SECONDS = 120  # that a run may take
RUNNING = ("READY", "RUNNING", "TIMING-OUT", "ABORTING")
ENDED = ("FAILED", "TIMED-OUT", "ABORTED")

APIFY = Vendor(
    integration="photosocial",
    name="apify",
    bases=(base_url("APIFY_BASE_URL", "https://api.apify.com"),),
    credential=bearer(secret("APIFY_TOKEN", "the API token of an account at Apify")),
)


class Content(Parameters):
    url = Words(
        "A public post, reel or profile: https://www.instagram.com/…",
        most=200, required=True, to="json.directUrls", theirs=lambda url: [url],
        pattern=r"^https://www\.instagram\.com/((p|reel|tv)/[\w-]+|[\w.]+)/?(\?[\w=&%.-]*)?$",
    )  # fmt: skip
    resultsType = Choice(
        "posts", "details", "comments",
        about="`posts` of a profile or the post itself, `details` of a profile, or a post's "
        "`comments`.",
        to="json.resultsType", default="posts",
    )  # fmt: skip
    limit = Count("Number of results.", least=1, most=MOST, to="json.resultsLimit", default=1)


def _either(*paths: str) -> Made:
    """Read the first text at these paths. Results of different types use different names."""

    def first(item: Any, values: Values) -> str | None:
        found = (Maybe(path).read(item, values) for path in paths)
        return next((text for text in found if text), None)

    return Made(Maybe(""), first)


ITEM = Shape(
    url=_either("url", "commentUrl", "inputUrl"), shortCode=Maybe("shortCode"),
    type=Maybe("type"), caption=_either("caption", "text"), hashtags=Maybe(Readable("hashtags")),
    mentions=Maybe(Readable("mentions")),
    imageUrl=Maybe(Str("displayUrl", about="Serves for some days, as all addresses of media do.")),
    videoUrl=Maybe("videoUrl"), images=Maybe(Readable("images")), likes=Maybe(Int("likesCount")),
    comments=Maybe(Int("commentsCount")), views=Maybe(Int("videoViewCount")),
    postedAt=Maybe("timestamp"),
    author=Within("", Shape(
        username=_either("ownerUsername", "username"), name=_either("ownerFullName", "fullName"),
        biography=Maybe("biography"), followers=Maybe(Int("followersCount")),
        posts=Maybe(Int("postsCount")),
    )),
    location=Maybe("locationName"),
)  # fmt: skip
FAULT = Shape(url=_either("url", "inputUrl"), error="error")
RESULTS = Shape(
    items=Each("items", ITEM, where=lambda item: find(item, "error") is None),
    errors=Each("items", FAULT, where=lambda item: find(item, "error") is not None),
)


def _task(answer: Any) -> Task:
    run = as_object(as_object(answer).get("data"))
    status, run_id = text(run, "status"), text(run, "id")
    if not run_id.isalnum():
        raise unusable("id")
    if status in RUNNING:
        return Task(run_id)
    if status in ENDED:
        return Task(run_id, "failed")
    if status != "SUCCEEDED":
        raise unusable("status")
    return Task(run_id, "done", RESULTS.read(run))


def _gather(call: Call, request: Outgoing, answer: Any) -> Any:
    """Return a finished run with its results."""
    run = as_object(as_object(answer).get("data"))
    if run.get("status") != "SUCCEEDED":
        return answer
    path = f"{request.path}/dataset/items"
    items = call.send(replace(request, path=path, query={"clean": True, "limit": MOST}))
    return {"data": {**run, "items": objects(items)}}


RUN = "HG7ML7M8z78YcAPEB"
POST = "https://www.instagram.com/p/CybWViruta1/"
extract = Endpoint(
    name="photosocial-extract-content", vendor=APIFY, category="social",
    summary="Captions, media and counts of a public post or profile, in a job.",
    docs="https://apify.com/apify/instagram-scraper/input-schema", access=FREE_READ, seconds=30,
    per_user=Limit(calls=30, seconds=3600),
    takes=Content,
    asks=post(
        "/v2/acts/apify~instagram-scraper/runs",
        query={"timeout": SECONDS}, json={"addParentData": False},
    ),
    job=Job(
        task=_task, poll=get("/v2/actor-runs/{id}"), gather=_gather,
        wait=60, limit=2 * SECONDS, interval=3,
    ),
    gives=RESULTS,
    examples=(Example({"url": POST}, (
        Exchange(
            f"POST /v2/acts/apify~instagram-scraper/runs?timeout={SECONDS}",
            {"data": {"id": RUN, "status": "READY", "defaultDatasetId": "wmKPijuyDnPZAPRMk"}},
            body={
                "addParentData": False, "directUrls": [POST], "resultsType": "posts",
                "resultsLimit": 1,
            },
            status=201,
        ),
        Exchange(f"GET /v2/actor-runs/{RUN}", {"data": {"id": RUN, "status": "SUCCEEDED"}}),
        Exchange(f"GET /v2/actor-runs/{RUN}/dataset/items?clean=true&limit=20", [
            {
                "url": POST, "shortCode": "CybWViruta1", "type": "Video",
                "caption": "Look at #this, @ben", "hashtags": ["this"], "mentions": ["ben"],
                "displayUrl": "https://scontent.cdninstagram.com/1.jpg",
                "videoUrl": "https://scontent.cdninstagram.com/1.mp4",
                "images": ["https://scontent.cdninstagram.com/2.jpg"], "likesCount": 120,
                "commentsCount": 7, "videoViewCount": 900, "locationName": "Lisbon",
                "timestamp": "2026-11-20T09:30:00.000Z", "ownerUsername": "ada",
                "ownerFullName": "Ada", "biography": "Pictures.", "followersCount": 300,
                "postsCount": 12,
            },
            {
                "url": "https://www.instagram.com/gone/", "error": "not_found",
                "errorDescription": "Post does not exist",
            },
        ]),
    )),),
)  # fmt: skip

ENDPOINTS = (extract,)
