"""Judge with a model how well people fit a goal. A profile is looked up if only its address is
given."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from marshmallow import validates_schema

from service.billing.prices import PDL_MATCH
from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Count, Parameters, Several, Words
from service.integrations.declare.meter import Meter
from service.integrations.declare.model_use import ModelUse
from service.integrations.declare.reading import as_object
from service.integrations.declare.request import get
from service.integrations.declare.shape import Each, Int, Maybe, Shape, Str
from service.integrations.vendors.people_data_labs.profiles import (
    CONTENTS,
    FOUND,
    Profile,
    check_room,
    people,
    person_at,
    prompt_facts,
)
from service.integrations.vendors.people_data_labs.vendor import (
    COLUMNS,
    DOCS,
    PDL,
    PROFILE,
    RECORD,
)

MOST = 10  # profiles
MODEL = ModelUse("llm-haiku-4-5", prompt_tokens=4000, output_tokens=500, calls=MOST)
ENRICH = get(
    "/person/enrich", query={"titlecase": True, "data_include": COLUMNS}, instead={404: None}
)
TASK = (
    "You judge how well the person of `profile` fits `goal` and `criteria`. First write the line "
    "`Score: ` with a number from 0 to 100. Then write a line for each strength, which begins with "
    "`+ `, and for each concern, which begins with `- `, at most five of each. Then write a "
    "summary of at most three sentences. Judge nothing but what the profile says of the person's "
    "work: not their sex, age, origin or looks."
)
SCORE = re.compile(r"\W*score\W*(\d{1,3})\b.*", re.IGNORECASE)


class Analysis(Parameters):
    profiles = people(
        "Profiles as `profnet-search-profiles` answers them, or addresses such as "
        "`linkedin.com/in/somebody`, which are looked up.", MOST,
    )  # fmt: skip
    goal = Words("What the people are meant for.", most=2000, required=True)
    criteria = Several(Words(most=200), "What to look at.", most=20, default=())
    minLikelihood = Count(
        "How sure the vendor must be that a profile is the one of the address.",
        least=1, most=10, default=6,
    )  # fmt: skip

    @validates_schema
    def check_words(self, data: dict[str, Any], **kwargs: Any) -> None:
        words = {name: data[name] for name in ("goal", "criteria")}
        check_room(words, MODEL.prompt_tokens)


def _analyze(
    call: Call,
    *,
    profiles: Sequence[Profile],
    goal: str,
    criteria: Sequence[str],
    min_likelihood: int,
) -> dict[str, Any]:
    addresses = _addresses(profiles)
    found = call.each(lambda url: _record(call, url, min_likelihood), addresses.values())
    records = {person: one for person, one in zip(addresses, found, strict=True) if one}
    wanted = {"goal": goal, **({"criteria": criteria} if criteria else {})}
    known = [one for profile in profiles if (one := _with_facts(profile, records))]
    analyses = call.each(lambda one: _read_judgement(call, one, wanted), known)
    return {
        "analyses": sorted(analyses, key=lambda one: -(one["score"] or 0)),
        "notFound": [url for person, url in addresses.items() if person not in records],
        "lookedUp": len(records),
        "model": MODEL.model_id,
    }


def _has_facts(profile: Profile) -> bool:
    return any(profile.get(name) for name in FOUND)


def _with_facts(profile: Profile, records: Mapping[str, Profile]) -> Profile | None:
    """Return the profile, or the record that was found for its address, or None."""
    if _has_facts(profile):
        return profile
    record = records.get(person_at(profile["profileUrl"]))
    return record and {**record, "profileUrl": profile["profileUrl"]}


def _addresses(profiles: Sequence[Profile]) -> dict[str, str]:
    """Return the addresses to look up, one for each person, as each answer is charged."""
    urls = (one["profileUrl"] for one in profiles if not _has_facts(one))
    return {person_at(url): url for url in urls}


def _record(call: Call, url: str, likelihood: int) -> Profile | None:
    """Return the profile at an address, or None if the vendor has none.

    The request is not repeated, because the vendor may have charged for a lost answer.
    """
    query = {"profile": url, "min_likelihood": likelihood}
    answer = call.send(replace(ENRICH.with_parts(query=query), repeatable=False))
    if answer is None:
        return None
    return PROFILE.read(as_object(answer).get("data"))


def _read_judgement(call: Call, profile: Profile, wanted: Mapping[str, Any]) -> dict[str, Any]:
    text = call.write(TASK, CONTENTS, {**wanted, "profile": prompt_facts(profile)})
    return {"profileUrl": profile["profileUrl"], "name": profile.get("name"), **judgement(text)}


def judgement(text: str) -> dict[str, Any]:
    """Read a model's text by its lines. The score is None if the model leaves it out."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    scores = [int(match[1]) for line in lines if (match := SCORE.fullmatch(line))]
    rest = [line for line in lines if not SCORE.fullmatch(line)]
    return {
        "score": min(scores[0], 100) if scores else None,
        "strengths": [line[1:].strip() for line in rest if line[0] == "+"],
        "concerns": [line[1:].strip() for line in rest if line[0] in "-–"],
        "summary": " ".join(line for line in rest if line[0] not in "+-–"),
    }


def _most(params: Mapping[str, Any]) -> float:
    return len(_addresses(params["profiles"])) * PDL_MATCH


ADDRESS = "linkedin.com/in/seanthorne"
GONE = "https://www.linkedin.com/in/gone"
analyze = Endpoint(
    name="profnet-analyze-profiles", vendor=PDL, category="social",
    summary="How well people fit a goal, judged by a language model from their profiles.",
    docs=f"{DOCS}/person-enrichment-api", seconds=120, model=MODEL,
    meter=Meter(_most, lambda data: data["lookedUp"] * PDL_MATCH),
    takes=Analysis, run=_analyze,
    gives=Shape(
        analyses=Each("analyses", Shape(
            profileUrl=Maybe("profileUrl"), name=Maybe("name"),
            score=Maybe(Int("score", about="0 to 100.")), strengths=Each("strengths"),
            concerns=Each("concerns"), summary="summary",
        )),
        notFound=Each("notFound", Str("", about="An address without a profile.")),
        lookedUp=Int("lookedUp", about="Profiles that the vendor has charged for."), model="model",
    ),
    examples=(Example(
        {
            "profiles": [ADDRESS, GONE, {"name": "Ada", "title": "Engineer"}],
            "goal": "A founder for Lisbon", "criteria": ["Has led people"],
        },
        tuple(
            Exchange(
                f"GET /person/enrich?titlecase=true&data_include={COLUMNS}&profile={url}"
                "&min_likelihood=6", answer, status=status, when=when,
            )
            for url, status, answer, when in (
                (ADDRESS, 200, {"status": 200, "likelihood": 9, "data": RECORD}, {}),
                (
                    GONE, 404, {"status": 404, "error": {"type": "not_found"}},
                    {"query.profile": GONE},
                ),
            )
        ),
    ),),
)  # fmt: skip

ENDPOINTS = (analyze,)
