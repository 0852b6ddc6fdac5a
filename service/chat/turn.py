"""The turn: one answer to one user message, step after step, as a generator of chunks."""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace

from flask import Flask

from config import Settings
from service.chat import chunks, history, rows
from service.chat.chunks import Chunk
from service.chat.instructions import SYSTEM
from service.chat.model_call import ask
from service.chat.parts import Assembly
from service.chat.question import Question
from service.chat.step import Step
from service.chat.tally import Tally
from service.chat.tools.tool import ToolContext, Tools
from service.providers.prompt import Message, Prompt, UserMessage

STEPS = 5  # specification, "Limits": each is a full model round trip

NO_TEXT = {
    "content-filter": "The model declined to answer this.",
    "length": "The answer did not fit into the output limit.",
    "tool-calls": "I have reached the limit of tool steps for one answer. Ask me to go on.",
}
NO_TEXT_AT_ALL = "The model had nothing to say to this."


def run(app: Flask, question: Question, assembly: Assembly) -> Iterator[Chunk]:
    """Every chunk of the turn; the rows are stored before `finish` is given out.

    Raises `ProviderError`, `ServiceError`; then nothing is stored.
    """
    ids = {"turnId": question.turn_id, "modelId": question.model.id}
    yield chunks.Start(question.assistant_message_id, ids)
    tally = Tally()
    yield from _assembled(assembly, _steps(app, question, tally))
    with app.app_context():
        rows.store(question, assembly, tally)
    yield chunks.Finish(tally.metadata)


def _steps(app: Flask, question: Question, tally: Tally) -> Iterator[Chunk]:
    with app.app_context():
        conversation: list[Message] = [
            *history.load(question.chat_id),
            UserMessage(question.content),
        ]
    for number in range(1, STEPS + 1):
        step = Step(number, muted=number == STEPS)
        yield chunks.StartStep()
        yield from _step(app, question, step, tuple(conversation), tally)
        yield chunks.FinishStep()
        conversation += step.messages
        if not step.results and tally.reason != "pause":
            return


def _step(
    app: Flask, question: Question, step: Step, conversation: tuple[Message, ...], tally: Tally
) -> Iterator[Chunk]:
    tools: Tools = app.extensions["tools"]
    settings: Settings = app.config["SETTINGS"]
    prompt = Prompt(
        system=SYSTEM,
        messages=conversation,
        tools=tools.specs,
        calls_allowed=not step.muted,
        max_output_tokens=settings.max_output_tokens,
    )
    yield from _round_trip(app, question, step, prompt, tally)
    assert step.finished
    if step.muted and step.finished.refused and not step.text:
        # gpt-oss hosts refuse a call made in spite of tool_choice "none": once more, without any.
        yield from _round_trip(app, question, step, replace(prompt, tools=()), tally)
    context = ToolContext(question.caller, app.extensions["collections"])
    yield from step.run_calls(app, tools, context)
    if not step.results and not step.text:
        yield from step.close(NO_TEXT.get(tally.reason, NO_TEXT_AT_ALL))


def _round_trip(
    app: Flask, question: Question, step: Step, prompt: Prompt, tally: Tally
) -> Generator[Chunk, None, None]:
    yield from step.translate(ask(app.extensions["upstream"], question.model, prompt))
    assert step.finished  # a stream without its terminal event has raised
    tally.add(step.number, prompt, step)


def _assembled(assembly: Assembly, given: Iterable[Chunk]) -> Iterator[Chunk]:
    """Each chunk is part of the message before anybody reads it."""
    for chunk in given:
        assembly.apply(chunk)
        yield chunk
