"""Answers as Exa's documentation shows them."""

from service.integrations.catalog import Example

PAGE = {
    "id": "https://arxiv.org/abs/2307.06435",
    "url": "https://arxiv.org/abs/2307.06435",
    "title": "A Comprehensive Overview of Large Language Models",
    "publishedDate": "2023-11-16T01:36:32.547Z",
    "author": "Humza Naveed, University of Engineering and Technology (UET), Lahore",
    "image": "https://arxiv.org/pdf/2307.06435.pdf/page_1.png",
    "favicon": "https://arxiv.org/favicon.ico",
    "text": "Large Language Models (LLMs) have recently demonstrated remarkable capabilities.",
    "highlights": ["Such requirements have limited their adoption."],
    "summary": "This overview covers the development of large language models.",
}
REQUEST_ID = "b5947044c4b78efa9552a7c89b306d95"
FOUND = Example(
    "POST",
    "/search",
    {"requestId": REQUEST_ID, "results": [PAGE], "costDollars": {"total": 0.007}},
)
READ = Example(
    "POST",
    "/contents",
    {
        "requestId": REQUEST_ID,
        "results": [PAGE],
        "statuses": [{"id": PAGE["id"], "status": "success", "source": "cached"}],
        "costDollars": {"total": 0.001},
    },
)
ANSWERED = Example(
    "POST",
    "/answer",
    {
        "requestId": REQUEST_ID,
        "answer": "$350 billion.",
        "citations": [PAGE],
        "costDollars": {"total": 0.005},
    },
)
RUN = {"id": "agent_run_01j8zq6k5x", "object": "agent_run", "createdAt": "2026-11-21T10:00:00.000Z"}
ACCEPTED = Example("POST", "/agent/runs", {**RUN, "status": "queued", "stopReason": None})
RAN = Example(
    "GET",
    "/agent/runs/{id}",
    {
        **RUN,
        "status": "completed",
        "stopReason": "schema_satisfied",
        "completedAt": "2026-11-21T10:01:12.000Z",
        "output": {
            "text": "Large language models are surveyed in several overviews.",
            "structured": None,
            "grounding": [
                {
                    "field": "text",
                    "citations": [{"url": PAGE["url"], "title": PAGE["title"]}],
                    "confidence": "high",
                }
            ],
        },
        "costDollars": {"total": 0.1},
    },
)
