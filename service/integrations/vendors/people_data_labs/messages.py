"""Drafts of messages to people, which a model writes from their profiles.

Nothing is sent. The vendor is not asked: if only an address is given, nothing else is known of a
person.
"""

from collections.abc import Sequence
from typing import Any

from marshmallow import validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example
from service.integrations.declare.fields import Choice, Parameters, Words
from service.integrations.declare.model_use import ModelUse
from service.integrations.declare.shape import Each, Int, Maybe, Shape, Str
from service.integrations.vendors.people_data_labs.profiles import (
    CONTENTS,
    Profile,
    check_room,
    people,
    prompt_facts,
)
from service.integrations.vendors.people_data_labs.vendor import DOCS, PDL

MOST = 20  # messages
MODEL = ModelUse("llm-haiku-4-5", prompt_tokens=4000, output_tokens=700, calls=MOST)
NOTE = 300  # characters of a note that LinkedIn takes with an invitation
CHANNELS = {
    "connection_note": f"a note of at most {NOTE - 20} characters that goes with an invitation, "
    "without a subject",
    "message": "a message of at most 150 words, without a subject",
    "email": "an e-mail of at most 200 words; its first line is `Subject: ` with the subject",
}
TASK = (
    "You draft {channel}, from `sender` to the person of `profile`. `purpose` says what it is for. "
    "The tone is {tone}; the language has the code `{language}`. Write the text alone. Say nothing "
    "of the sender that is not in `sender`."
)


class Messages(Parameters):
    profiles = people(
        "Profiles as `profnet-search-profiles` or `profnet-analyze-profiles` answer them.", MOST
    )
    purpose = Words("What the messages are for.", most=2000, required=True)
    tone = Choice("professional", "friendly", "direct", about="Their tone.", default="professional")
    channel = Choice(
        *CHANNELS, about=f"Where they go; a `connection_note` has at most {NOTE} characters.",
        default="connection_note",
    )  # fmt: skip
    sender = Words("Who writes, and what to say of them.", most=2000)
    language = Words(
        "The language to write in, as a code such as `en` or `pt-BR`.",
        most=11, pattern="^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$", default="en",
    )  # fmt: skip

    @validates_schema
    def check_words(self, data: dict[str, Any], **kwargs: Any) -> None:
        words = {name: text for name, text in data.items() if name in ("purpose", "sender")}
        check_room(words, MODEL.prompt_tokens)


def _generate(
    call: Call,
    *,
    profiles: Sequence[Profile],
    purpose: str,
    tone: str,
    channel: str,
    language: str,
    sender: str | None = None,
) -> dict[str, Any]:
    task = TASK.format(channel=CHANNELS[channel], tone=tone, language=language)
    words = {"purpose": purpose, **({"sender": sender} if sender else {})}

    def draft(profile: Profile) -> dict[str, Any]:
        text = call.write(task, CONTENTS, {**words, "profile": prompt_facts(profile)})
        subject, body = split(text) if channel == "email" else (None, text)
        if channel == "connection_note":
            body = shorten(body)
        named = {"profileUrl": profile["profileUrl"], "name": profile.get("name")}
        return {**named, "subject": subject, "body": body, "characters": len(body)}

    return {"messages": call.each(draft, profiles), "model": MODEL.model_id}


def split(text: str) -> tuple[str | None, str]:
    """Return the subject, if the first line is one, and the rest."""
    first, _, rest = text.partition("\n")
    label, _, subject = first.partition(":")
    is_subject = label.strip("* ").casefold() == "subject" and subject.strip("* ") and rest.strip()
    return (subject.strip("* "), rest.strip()) if is_subject else (None, text)


def shorten(text: str) -> str:
    """Shorten a text to `NOTE` characters, at the end of a word."""
    if len(text) <= NOTE:
        return text
    return f"{text[: NOTE - 1].rsplit(maxsplit=1)[0]}…"


draft = Endpoint(
    name="profnet-generate-messages", vendor=PDL, category="social",
    summary="Drafts of messages to people, written by a language model from their profiles.",
    docs=f"{DOCS}/fields", seconds=120, model=MODEL, takes=Messages, run=_generate,
    gives=Shape(
        messages=Each("messages", Shape(
            profileUrl=Maybe("profileUrl"), name=Maybe("name"),
            subject=Maybe(Str("subject", about="Of an e-mail.")), body="body",
            characters=Int("characters"),
        )),
        model="model",
    ),
    examples=(Example(
        {
            "profiles": [
                {"profileUrl": "linkedin.com/in/seanthorne", "name": "Sean Thorne", "id": None},
            ],
            "purpose": "Invite to a talk about data.", "channel": "email", "sender": "Ada",
        },
        (),
    ),),
)  # fmt: skip

ENDPOINTS = (draft,)
