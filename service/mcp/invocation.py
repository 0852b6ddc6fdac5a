"""One call of a tool, run as in a turn.

The client approves calls by its own means; the journal and the ledger say that they came from here.
"""

from dataclasses import dataclass
from typing import Any

from flask import Flask

from service.auth.users import Caller
from service.chat.tools.run import InvalidInput, Outcome, execute, failure, parse_input
from service.chat.tools.tool import Tool, ToolContext
from service.ids import new_id
from service.mcp.results import tool_result
from service.web.json_values import encode


@dataclass(frozen=True)
class Invocation:
    """A call with its arguments as they came. It outlives its HTTP request."""

    app: Flask
    tool: Tool
    caller: Caller
    token: str
    arguments: dict[str, Any]

    def make(self) -> dict[str, Any]:
        """Make the call; returns the result for the client."""
        return tool_result(self._run())

    def _run(self) -> Outcome:
        try:
            loaded = parse_input(self.tool, encode(self.arguments))
        except InvalidInput as error:
            return failure(str(error))
        return execute(self.app, self.tool, self._context(), loaded)

    def _context(self) -> ToolContext:
        """There is no turn: an id of the call's own stands in the journal."""
        return ToolContext(
            caller=self.caller,
            collections=self.app.extensions["collections"],
            turn_id=new_id("mcp"),
            chat_id="",
        )
