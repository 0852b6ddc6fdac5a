"""A read that fails twice in a turn, and then succeeds."""

from collections import Counter
from typing import Any

from marshmallow import Schema

from service.chat.tools.tool import ToolContext, tool
from service.web.errors import ServiceError

times: Counter[str] = Counter()  # by turn


@tool("test.third-time", Schema(), reads=True)
def third_time(context: ToolContext) -> Any:
    """Succeed from the third time on."""
    times[context.turn_id] += 1
    if times[context.turn_id] < 3:
        raise ServiceError("busy")
    return {"time": times[context.turn_id]}


TOOLS = (third_time,)
