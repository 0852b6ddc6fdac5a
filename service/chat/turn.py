"""The turn: one answer to one user message, step after step, as a generator of chunks."""

from collections.abc import Iterator
from dataclasses import replace

from flask import Flask

from config import Settings
from service.auth.pseudonym import pseudonym
from service.chat import chunks, costs, earlier
from service.chat.chunks import Chunk
from service.chat.conversation import Conversation
from service.chat.instructions import SYSTEM
from service.chat.model_call import ask
from service.chat.running import Run
from service.chat.step import Step
from service.chat.tools.tool import ToolContext, Tools
from service.providers.events import ProviderError
from service.providers.prompt import Prompt

STEPS = 5  # specification, "Limits": each is a full model round trip

NO_TEXT = {
    "content-filter": "The model declined to answer this.",
    "length": "The answer did not fit into the output limit.",
    "tool-calls": "I have reached the limit of tool steps for one answer. Ask me to go on.",
}
NO_TEXT_AT_ALL = "The model had nothing to say to this."
NO_CREDITS = "Your credits do not suffice to go on with this answer."


def answer(app: Flask, run: Run) -> Iterator[Chunk]:
    """The steps of a turn, each chunk added to the run's assembly before anybody reads it.

    Raises `ProviderError` and `ServiceError`.
    """
    for chunk in _steps(app, run):
        run.assembly.apply(chunk)
        yield chunk


def _steps(app: Flask, run: Run) -> Iterator[Chunk]:
    question = run.question
    with app.app_context():
        run.earlier = earlier.load(question)
    conversation = Conversation(app, run)
    context = _context(app, run)
    for number in range(1, STEPS + 1):
        step = Step(number, muted=number == STEPS)
        before = len(run.assembly.parts)
        yield chunks.StartStep()
        yield from _step(app, run, step, conversation, context)
        yield chunks.FinishStep()
        conversation.add(run.assembly.parts[before:])
        if not step.results and run.tally.reason != "pause":
            return


def _context(app: Flask, run: Run) -> ToolContext:
    question = run.question
    return ToolContext(
        caller=question.caller,
        collections=app.extensions["collections"],
        turn_id=question.turn_id,
        chat_id=question.chat_id,
        user_message_id=question.user_message_id or None,
        earlier=run.earlier,
    )


def _step(
    app: Flask, run: Run, step: Step, conversation: Conversation, context: ToolContext
) -> Iterator[Chunk]:
    tools: Tools = app.extensions["tools"]
    settings: Settings = app.config["SETTINGS"]
    prompt = Prompt(
        system=SYSTEM,
        messages=conversation.messages(),
        tools=tools.specs,
        calls_allowed=not step.muted,
        max_output_tokens=settings.max_output_tokens,
        user=pseudonym(settings, run.question.caller.subject, run.question.model.provider.kind),
    )
    run.tally.compaction = conversation.facts
    if not costs.afford(app, run, prompt, run.question.model.id):
        yield from step.close(NO_CREDITS)
        return
    yield from _compacting(app, run, step, prompt, conversation)
    if step.muted and step.refused and not step.text:
        yield from _ask_without_tools(app, run, step, prompt)
    yield from step.run_calls(app, tools, context)
    if not step.results and not step.text:
        yield from step.close(NO_TEXT.get(run.tally.reason, NO_TEXT_AT_ALL))


def _compacting(
    app: Flask, run: Run, step: Step, prompt: Prompt, conversation: Conversation
) -> Iterator[Chunk]:
    """A round trip; when the provider finds the prompt too long, once more with half of it."""
    try:
        yield from _round_trip(app, run, step, prompt)
    except ProviderError as error:
        if error.fault != "too-long" or step.shown:
            raise
        conversation.tighten()
        shorter = replace(prompt, messages=conversation.messages())
        run.tally.compaction = conversation.facts
        if not costs.afford(app, run, shorter, run.question.model.id):
            yield from step.close(NO_CREDITS)
            return
        yield from _round_trip(app, run, step, shorter)


def _round_trip(app: Flask, run: Run, step: Step, prompt: Prompt) -> Iterator[Chunk]:
    receipt = run.tally.begin(prompt, step)
    events = ask(app.extensions["upstream"], run.question.model, prompt, run.deadline, receipt)
    yield from step.translate(events)
    run.tally.end()


def _ask_without_tools(app: Flask, run: Run, step: Step, prompt: Prompt) -> Iterator[Chunk]:
    """gpt-oss hosts refuse a call made in spite of tool_choice "none": once more, without any.

    Some then refuse a history with calls in it; the step ends in a text of ours.
    """
    try:
        yield from _round_trip(app, run, step, replace(prompt, tools=()))
    except ProviderError as error:
        if error.fault != "refused-request":
            raise
