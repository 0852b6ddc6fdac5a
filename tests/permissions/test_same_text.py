"""A record has the same JSON text, byte for byte, at every door."""

import json

from tests.permissions.doors import Http, Socket

UNUSUAL = {
    "title": "caf\u00e9 \U0001f600 \u2028 \"quoted\" \\ </script> \x7f",
    "due": "2024-02-29T23:59:59.000001+05:30",
    "weight": 1e-7,
    "votes": 2**62,
    "open": False,
}  # fmt: skip


def texts_of(enter, me, collection, record_id):
    """Return a record's text in each answer that contains it."""
    http, socket = enter(Http, me, "clerk").person, enter(Socket, me, "clerk")
    path, name = f"/api/records/{collection}/{record_id}", {"collection": collection}
    socket.subscriber.send(op="subscribe", id="s", **name, where={"recordId": record_id})
    answers = {"snapshot": socket.subscriber.socket.recv()}
    socket.subscriber.send(op="update", id="u", **name, recordId=record_id, data={})
    # The two may come in either order.
    for text in (socket.subscriber.socket.recv(), socket.subscriber.socket.recv()):
        answers[json.loads(text)["type"]] = text
    answers["get"] = http.get(path).get_data(as_text=True)
    where = json.dumps({"recordId": record_id})
    answers["list"] = http.get(f"/api/records/{collection}?where={where}").get_data(as_text=True)
    arguments = json.dumps({"collection": collection, "recordId": record_id})
    turn = http.ask(http.new_chat(), f"call records.get with {arguments}", userMessageId=record_id)
    lines = turn.get_data(as_text=True).split("\n\n")
    answers["tool"] = next(line for line in lines if '"tool-output-available"' in line)
    answers["patch"] = http.patch(path, {}).get_data(as_text=True)
    return answers


def without_times(text, record_id):
    """Return the text of a record in an answer, up to the time of its last update."""
    start = text.index(f'{{"recordId":"{record_id}","data":')
    return text[start : text.index('"updatedAt":', start)]


def test_a_record_is_the_same_text_at_every_door(place, enter):
    me = place.called("me")
    nested = {
        "title": "\u00e9\U0001f600",
        "io": {"z": [1, 1.0, -0.0, 1e300], "a": {"\u00e9": None}},
    }
    for collection, data in (("tickets", UNUSUAL), ("canvases", nested)):
        created = enter(Http, me, "clerk").person.post(f"/api/records/{collection}", data)
        assert created.status_code == 201, created.json
        record_id = created.json["recordId"]
        answers = texts_of(enter, me, collection, record_id)
        answers["post"] = created.get_data(as_text=True)
        texts = {door: without_times(text, record_id) for door, text in answers.items()}
        assert len(texts) == 8, texts.keys()
        assert set(texts.values()) == {texts["get"]}, texts
        assert "\u00e9\U0001f600" in texts["get"] or "caf\u00e9 \U0001f600" in texts["get"]


def test_only_the_time_of_a_write_differs(place, enter):
    me = place.called("me")
    http, socket = enter(Http, me, "user").person, enter(Socket, me, "user")
    made = http.post("/api/records/notes", {"title": "\u00e9 \U0001f600"})
    whole = made.get_data(as_text=True).strip()
    record_id = made.json["recordId"]
    path = f"/api/records/notes/{record_id}"
    assert http.get(path).get_data(as_text=True) == f"{whole}\n"
    listed = http.get("/api/records/notes").get_data(as_text=True)
    assert listed == f'{{"records":[{whole}],"nextCursor":null}}\n'
    socket.subscriber.send(op="subscribe", id="s", collection="notes")
    assert f'"records":[{whole}]' in socket.subscriber.socket.recv()
    changed = http.patch(path, {"text": "\u00fc"}).get_data(as_text=True).strip()
    assert f'"record":{changed},' in socket.subscriber.socket.recv()


def test_an_error_that_repeats_a_lone_surrogate_is_escaped(place, enter):
    someone = enter(Http, place.called("me"), "user").person
    answer = someone.post("/api/records/notes", {"title": "t", "\ud800": 1})
    assert answer.status_code == 400
    assert list(answer.json["details"]) == ["\ud800"]
