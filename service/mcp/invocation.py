"""One call of a tool by a client, run as in a turn.

The client approves calls in its own way. The journal and the ledger record that they came over MCP.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from service.auth.users import Caller
from service.billing.account_statements import statement_of
from service.billing.units import credits_text
from service.chat.question import NO_CHAT
from service.chat.tools.requirements import TOOL_SECONDS, GrantMissing, NeededGrant
from service.chat.tools.run import (
    InvalidInput,
    Outcome,
    execute,
    failure,
    needs_of,
    parse_input,
    run_limited,
)
from service.chat.tools.tool import ToolContext
from service.extensions import db
from service.ids import new_id
from service.integrations.declare.catalog import CATALOG
from service.integrations.declare.endpoint import Endpoint
from service.mcp import consent, jobs, keys, states
from service.mcp.results import tool_result
from service.mcp.tool_list import Offer
from service.observing.measures import tool_calls
from service.records.collection import APP_COLLECTIONS
from service.sealing.seal import Sealer
from service.web.json_values import encode

RECENT_ENTRIES = 50  # of the ledger that are searched for a call's charge
CHARGED = "Charged {charged} credits; {left} credits are left."

Action = Literal["accept", "decline", "cancel"]

log = structlog.get_logger("mcp")


@dataclass(frozen=True)
class Invocation:
    """A call with its arguments as received. It outlives its HTTP request.

    `call_id` is the `Idempotency-Key`, unless the arguments have a key. `action` is what the user
    has done with a link that the client was asked to open; None before.
    """

    app: Flask
    sealer: Sealer
    offer: Offer
    caller: Caller
    token: str
    arguments: dict[str, Any]
    call_id: str
    opens_links: bool = False
    action: Action | None = None

    def make(self) -> dict[str, Any]:
        """Make the call; returns the result for the client."""
        if self.action in ("decline", "cancel"):
            return tool_result(failure(consent.DECLINED))
        tool, endpoint = self.offer.tool, self._endpoint
        shorter = jobs.with_short_wait(tool, self.arguments, endpoint)
        try:
            loaded = parse_input(tool, encode(shorter))
        except InvalidInput as error:
            tool_calls(tool.name, "invalid").inc()
            return tool_result(failure(str(error)))
        key = keys.take_key(tool, loaded) or self.call_id
        context = self._context(key)
        needs = needs_of(self.app, tool, context, loaded)
        if isinstance(needs, Outcome):
            return tool_result(needs)
        if needs.grant:
            return self._ask_for(needs.grant)
        try:
            outcome = execute(self.app, tool, context, loaded, needs.seconds)
        except GrantMissing as missing:
            return self._ask_for(missing.grant)
        return tool_result(outcome, *self._notes(outcome, endpoint, key))

    @property
    def _endpoint(self) -> Endpoint | None:
        catalog = CATALOG.of(self.app)
        return jobs.endpoint_of(self.offer.tool, self.arguments, catalog)

    def _context(self, key: str) -> ToolContext:
        """Return the tool's context. There is no turn, so the call gets an id for the journal."""
        return ToolContext(
            caller=self.caller,
            collections=APP_COLLECTIONS.of(self.app),
            turn_id=new_id("mcp"),
            chat_id=NO_CHAT,
            call_id=self.call_id,
            key=key,
            token=self.token,
            door="mcp",
        )

    def _ask_for(self, grant: NeededGrant) -> dict[str, Any]:
        """Ask the client to open the link, but only once; otherwise return it as a text."""
        link = partial(consent.link, grant, self.caller.subject)
        url = run_limited(self.app, self.offer.tool, TOOL_SECONDS, link)
        if isinstance(url, Outcome):
            return tool_result(url)
        if not self.opens_links or self.action:
            return tool_result(failure(consent.link_text(grant, url)))
        state = states.issue(
            self.sealer, self.caller.subject, self.call_id, self.offer.tool.name, self.arguments
        )
        return consent.question(grant, url, state)

    def _notes(self, outcome: Outcome, endpoint: Endpoint | None, key: str) -> list[str]:
        """Return what a call has cost and how many credits remain, and how to look at its job."""
        if endpoint is None or outcome.error is not None:
            return []
        notes = [self._price(endpoint, key)] if endpoint.max_credits else []
        if jobs.is_running(outcome.output):
            notes.append(jobs.STILL_RUNNING)
        return [note for note in notes if note]

    def _price(self, endpoint: Endpoint, key: str) -> str | None:
        """Return the price of the call with this key as a text.

        None without an account, and while the database is unavailable: the call was made, and its
        result must not be lost because of this note.
        """
        try:
            with self.app.app_context():
                account = statement_of(db.session(), self.caller.subject, RECENT_ENTRIES, None)
                db.session.commit()
        except SQLAlchemyError as error:
            log.warning("price not told", error=type(error).__name__)
            return None
        if account is None:
            return None
        of_endpoint = [one for one in account.entries if one.what == endpoint.name]
        own = [one.amount for one in of_endpoint if one.facts.get("call") == key]
        left = credits_text(account.balance - account.held)
        return CHARGED.format(charged=credits_text(-sum(own)), left=left)
