"""The turn: one answer to one user message, step after step, as a generator of chunks."""

from contextlib import closing
from dataclasses import replace
from functools import partial

from flask import Flask

from service.billing.shortage import Shortage
from service.chat import claim_lock
from service.chat.stream import chunks
from service.chat.tools.guard import LoopGuard
from service.chat.tools.tool import ToolContext
from service.chat.turn.claim_watch import CLAIM_WATCH
from service.chat.turn.conversation import Conversation
from service.chat.turn.running import Run
from service.chat.turn.step import Answer, Step
from service.generation.model_call import stream_events
from service.generation.round_trip import RoundTrip
from service.outbound.arrivals import Arrivals
from service.outbound.upstream import UPSTREAM
from service.providers.events import ProviderError
from service.providers.prompt import Prompt
from service.records.collection import APP_COLLECTIONS

STEPS = 5  # docs/contract.md, "Limits": each is a full model round trip

NO_TEXT = {
    "content-filter": "The model declined to answer this.",
    "length": "The answer did not fit into the output limit.",
    "tool-calls": "I have reached the limit of tool steps for one answer. Ask me to go on.",
}
NO_TEXT_AT_ALL = "The model had nothing to say to this."
NO_CREDITS = "Your credits do not suffice to go on with this answer."
TOO_FEW: dict[Shortage, str] = {
    "balance": NO_CREDITS,
    "token": "The limit of your token does not suffice to go on with this answer.",
    "budget": "Your budget for today does not suffice to go on with this answer. It begins again "
    "at 00:00 UTC.",
}


def answer(app: Flask, run: Run) -> Answer:
    """Yield the chunks of all steps, and add each to the run's assembly before it is read.

    Most chunks of texts go to the run's readers in the event loop, and are not yielded. Where only
    text is expected, the generator yields an `Arrivals`, and need not be resumed before this asks
    for it. Raises `ProviderError` and `ServiceError`.
    """
    conversation, guard = Conversation(app, run), LoopGuard()
    for number in range(1, STEPS + 1):
        if number > 1:
            CLAIM_WATCH.of(app).check(run)
        before = len(run.assembly.parts)
        step = Step(number, muted=number == STEPS, text=run.assembly.text_since(before))
        with closing(_step(app, run, step, conversation, guard)) as of_step:
            for chunk in of_step:
                if not isinstance(chunk, Arrivals):
                    run.assembly.apply(chunk)
                yield chunk
        conversation.add(run.assembly.parts[before:])
        if not step.goes_on:
            return


def _step(app: Flask, run: Run, step: Step, conversation: Conversation, guard: LoopGuard) -> Answer:
    """Yield the model's answer, then the results of its tool calls."""
    yield chunks.StartStep()
    prompt = conversation.prompt(step.muted)
    try:
        yield from _ask(app, run, step, prompt)
    except ProviderError as error:
        if error.fault != "too-long" or step.is_visible:
            raise
        prompt = conversation.shorter_prompt(step.muted)
        yield from _ask(app, run, step, prompt)
    if step.muted and step.is_refused and step.text.is_blank:
        yield from _ask_without_tools(app, run, step, prompt)
    yield from step.run_calls(app, _context(app, run, guard))
    run.interruption.check()
    if step.text.is_blank and not step.goes_on:
        yield from step.close(NO_TEXT.get(run.tally.reason, NO_TEXT_AT_ALL))
    yield chunks.FinishStep()


def _ask(app: Flask, run: Run, step: Step, prompt: Prompt) -> Answer:
    """Make one round trip to the model, or end with a text of ours if the credits are too few."""
    trip = RoundTrip(run.question.model, prompt, step.text)
    if not run.hold.reserve(app, trip.max_cost):
        yield from step.close(TOO_FEW[run.hold.shortage(app, trip.max_cost)])
        return
    run.tally.begin(trip, step.number)
    take = _Taking(run, step) if run.has_readers else None
    upstream = UPSTREAM.of(app)
    yield from step.translate(stream_events(upstream, trip, run.deadline, take))
    run.tally.end(step.reason)


class _Taking:
    """Passes texts of the model to the readers of a turn, in the event loop."""

    __slots__ = ("_run", "_step")

    def __init__(self, run: Run, step: Step) -> None:
        self._run, self._step = run, step

    @property
    def is_ready(self) -> bool:
        """Whether the step has an open text and the channel has room.

        Only a greenlet can wait for a slow reader.
        """
        return self._text_id() is not None

    def __call__(self, texts: list[str]) -> bool:
        text_id = self._text_id()
        if text_id is None:
            return False
        self._run.add_texts(text_id, texts)
        return True

    def _text_id(self) -> str | None:
        return None if self._run.channel.full else self._step.open_text


def _ask_without_tools(app: Flask, run: Run, step: Step, prompt: Prompt) -> Answer:
    """Ask once more without tools.

    Hosts of gpt-oss refuse a call that the model makes in spite of tool_choice "none". Some hosts
    then refuse a history with calls in it; the step then ends with a text of ours.
    """
    try:
        yield from _ask(app, run, step, replace(prompt, tools=()))
    except ProviderError as error:
        if error.fault != "refused-request":
            raise


def _context(app: Flask, run: Run, guard: LoopGuard) -> ToolContext:
    question = run.question
    return ToolContext(
        caller=question.caller,
        collections=APP_COLLECTIONS.of(app),
        turn_id=question.turn_id,
        chat_id=question.chat_id,
        guard=guard,
        user_message_id=question.user_message_id or None,
        earlier=run.earlier,
        token=question.token,
        check_turn=partial(CLAIM_WATCH.of(app).check, run),
        lock_claim=partial(claim_lock.lock, question),
        free_unused=partial(run.hold.free_unused, app),
    )
