"""Write the texts of the sandbox's assistant for an endpoint that asks a model.

An endpoint sends its data as one JSON object, without tools. Four endpoints of the catalog do so,
each with its own keys: `papers`, with `recipient` for a letter; `profile`, with `goal` for a
judgement. Texts in the data are quoted and never followed: an abstract with "We describe a system"
is no command.
"""

import json
from typing import Any


def write_text(text: str) -> str | None:
    """Return a text like a model's about an endpoint's data, or None for other messages."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match data:
        case {"papers": [{}, *_] as papers, "recipient": {"name": str(name)}, "purpose": purpose}:
            return _letter(papers[0].get("title"), name, purpose)
        case {"papers": list(papers)}:
            return "\n".join(_point(paper) for paper in papers if isinstance(paper, dict))
        case {"profile": dict(profile), "goal": goal}:
            return _judgement(profile, goal)
        case {"profile": dict(profile), "purpose": purpose}:
            return f"Hello {_name(profile)},\n\n{purpose}"
    return None


def _letter(title: Any, name: str, purpose: Any) -> str:
    return f"Subject: {title}\n\nDear {name},\n\nI have read “{title}”. {purpose}\n\nKind regards"


def _point(paper: dict[str, Any]) -> str:
    sentence = str(paper.get("text") or paper.get("title")).partition(". ")[0].rstrip(".")
    return f"- {sentence} [{paper.get('number')}]."


def _judgement(profile: dict[str, Any], goal: Any) -> str:
    title = profile.get("title")
    lines = [
        "Score: 60",
        f"+ Works as {title}." if title else "- The profile names no position.",
        "- A rule of the sandbox has judged this, no model.",
        f"{_name(profile)} may fit the goal: {goal}",
    ]
    return "\n".join(lines)


def _name(profile: dict[str, Any]) -> str:
    return str(profile.get("name") or "there")
