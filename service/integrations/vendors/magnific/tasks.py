"""Magnific's tasks, which all its models share.

A request is answered with a task. The same path with the task's id gives the task's state and, when
it is completed, the addresses of its results. How long these addresses are valid is not documented.
"""

import re
from dataclasses import replace
from functools import partial
from typing import Any

from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_object, text, unusable
from service.integrations.declare.request import get
from service.integrations.declare.shape import Each, Shape, Str
from service.integrations.declare.task import Job, Task

ADDRESS = "Where Magnific keeps it. Copy what you need: the address may end without notice."
MODEL = Shape(model=Str("model", about="The model that makes it."))
IMAGES = Shape(images=Each("generated", Shape(url=Str("", about=ADDRESS))))
MODELLED = Shape(MODEL, IMAGES)
VIDEOS = Shape(videos=Each("generated", Shape(url=Str("", about=ADDRESS))))

TASK_ID = re.compile("[A-Za-z0-9_-]{1,100}")


def read_task(answer: Any, gives: Shape, model: str = "") -> Task:
    """Return the task in an answer, whose result has the shape `gives`, made by the named model.

    Some answers to a first request are the task itself, with `task_status`. A completed task
    without results has failed. Raises `Unusable`.
    """
    task = as_object(find(answer, "data") or answer)
    task_id, facts = text(task, "task_id"), {"model": model} if model else {}
    if not TASK_ID.fullmatch(task_id):
        raise unusable("task_id")
    match text(task, "status" if "status" in task else "task_status"):
        case "CREATED" | "IN_PROGRESS":
            return Task(task_id, facts=facts)
        case "COMPLETED":
            result = gives.read(task)
            return Task(task_id, "done" if any(result.values()) else "failed", result, facts=facts)
        case "FAILED":
            return Task(task_id, "failed")
    raise unusable("status")


def at_path(path: str, task: Task) -> Task:
    """Return a task that is polled at its own path, which is stored as part of its id.

    The poll of its job has `{id+}` where the path begins.
    """
    return replace(task, id=f"{path}/{task.id}")


def job(path: str, model: str = "", *, limit: float = 300, interval: float = 3) -> Job:
    """Return the job of an endpoint whose tasks make images and are polled at `path`.

    Without a `model`, the endpoint's function names it.
    """
    return Job(
        task=partial(read_task, gives=IMAGES, model=model), poll=get(f"{path}/{{id}}"),
        wait=60, limit=limit, interval=interval, facts=MODEL,
    )  # fmt: skip


TASK = "046b6c7f-0b8a-43b9-b35d-6489e6daee91"
MADE = "https://ai-statics.freepik.com/content/046b6c7f/result.png"


def answered(status: str, *generated: str) -> dict[str, Any]:
    """Return Magnific's answer about a task, for examples."""
    return {"data": {"task_id": TASK, "status": status, "generated": [*generated]}}
