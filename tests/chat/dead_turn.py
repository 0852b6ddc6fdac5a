"""Changes that the tools of a dead turn have made, and taking them back."""

import json

from service.auth.users import Caller
from service.chat.tools.guard import LoopGuard
from service.chat.tools.run import execute, parse_input
from service.chat.tools.tool import ToolContext
from service.ids import new_id


class DeadTurn:
    """The tools of one turn that left no rows, as one whose worker was killed."""

    def __init__(self, app, person, role="user", chat_id="chat"):
        self.app, self.person, self.turn_id = app, person, new_id("turn")
        caller, collections = Caller(person.subject, role), app.extensions["collections"]
        self.context = ToolContext(caller, collections, self.turn_id, chat_id, LoopGuard())

    def call(self, name, **arguments):
        tool = self.app.extensions["tools"].get(f"records.{name}")
        outcome = execute(self.app, tool, self.context, parse_input(tool, json.dumps(arguments)))
        assert outcome.error is None, outcome.error
        return outcome.output

    def create(self, title, collection="notes"):
        return self.call("create", collection=collection, data={"title": title})["recordId"]

    def update(self, record_id, collection="notes", **data):
        self.call("update", collection=collection, recordId=record_id, data=data)

    def delete(self, record_id, collection="notes"):
        self.call("delete", collection=collection, recordId=record_id)

    def undo(self):
        answer = undo(self.person, self.turn_id)
        assert answer.status_code == 200, answer.json
        return answer.json


def undo(person, turn_id):
    return person.post(f"/api/ai/turns/{turn_id}/undo")
