"""Searches in chats, and messages to be found."""

from sqlalchemy import insert

from service.chat.models import Message
from service.database.access import write_transaction


def search(person, question, **query):
    response = person.get("/api/ai/search", query_string={"q": question, **query})
    assert response.status_code == 200, response.json
    return response.json


def titles_found(person, question):
    """The titles of the chats that a question finds."""
    return [result["chat"]["title"] for result in search(person, question)["results"]]


def write(app, chat, *contents, role="user", owner="alice"):
    """Messages as a release writes them that knows nothing of the search."""
    message = {"chat_id": chat, "user_id": owner, "role": role}
    rows = [{**message, "record_id": f"{chat}-{c[:90]}", "content": c} for c in contents]
    with app.app_context(), write_transaction() as session:
        session.execute(insert(Message), rows)
