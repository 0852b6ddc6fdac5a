"""The state of a call that waits for a consent, sent back many times at the same moment."""

from gevent.pool import Pool

from tests.mcp.era_clients import Speaker
from tests.mcp.test_consent import ACCEPT, CALL, OPENS_LINKS, consent, question
from tests.people import person

TIMES = 12


def test_of_many_uses_of_a_state_at_once_one_makes_the_call(app, alice):
    def ask(**params):
        asking = person(app.test_client(), app.config["SETTINGS"], "alice")
        speaker = Speaker(asking, is_modern=True)
        return speaker.ask("tools/call", {**CALL, **params}, meta=OPENS_LINKS)

    url, state = question(ask())
    consent(alice, url)
    again = {"inputResponses": ACCEPT, "requestState": state}
    answers = Pool(TIMES).map(lambda _: ask(**again), range(TIMES))
    made = [one.json["result"]["isError"] for one in answers if one.status_code == 200]
    refused = [one.json["error"]["code"] for one in answers if one.status_code == 400]
    assert (made, refused) == ([False], [-32602] * (TIMES - 1))
