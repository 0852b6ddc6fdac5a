"""The places of sealed texts. A text is bound to its place, which a rotation of keys must know.

A rotation seals again only the texts in the database. Cookies and the states of calls last only
minutes.
"""


def grant(user_id: str, integration: str, column: str) -> str:
    return f"grant:{user_id}:{integration}:{column}"


def consent(state_hash: str) -> str:
    return f"consent:{state_hash}"


def job(job_id: str) -> str:
    return f"job:{job_id}"


def answer(user_id: str, endpoint: str, key: str) -> str:
    return f"idempotency:{user_id}:{endpoint}:{key}"


def kept_answer(key: str) -> str:
    return f"kept-answer:{key}"


def mcp_state(user_id: str) -> str:
    """Return the place of a state that the client keeps."""
    return f"mcp-state:{user_id}"


SIGN_IN = "sign-in"  # a cookie


def console_session(id_hash: str, column: str) -> str:
    return f"console-session:{id_hash}:{column}"
