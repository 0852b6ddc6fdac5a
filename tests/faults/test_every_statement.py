"""A process is killed before and after each message that it sends to the database.

Afterwards another process sweeps, and everything is sent again with the same ids and keys.
"""

from itertools import count

from service.billing.units import CREDIT
from tests.depth import DEPTH

STRIDE = max(1, 6 // DEPTH)  # of the messages: at depth 1 every sixth
PRICE = int(0.35 * CREDIT)


def killed_everywhere(forks, action, arguments_of):
    """Do the work with each message as its last, before and after it; returns all works."""
    works = []
    for number in count(1, STRIDE):
        for after in (False, True):
            works.append((action, arguments_of(len(works))))
            forks.run(action, *works[-1][1], number=number, after=after)
            if forks.messages < number:  # it was not killed
                return works
    raise AssertionError("unreachable")


def recovered(forks, works):
    """Let the leases of the dead lapse, sweep, and send everything again."""
    forks.run("sweep", forks.lapse())
    return forks.run("again", works)


def test_a_turn_killed_at_any_message_writes_and_pays_once(forks):
    subjects = [f"user-{number}" for number in range(20 + 200 // STRIDE)]
    chats = forks.run("prepare", subjects)
    works = killed_everywhere(
        forks, "turn", lambda n: (subjects[n], question(chats[n], f"note-{n}"))
    )
    before = forks.stored()
    answers = recovered(forks, works)
    print(f"{len(works)} kills")
    assert {rows_of(before, chat) for chat in chats} == {(0, 0), (2, 1)}
    assert all(status == 200 and '"type":"finish"' in body for status, _, body in answers)
    found = forks.stored()
    assert {rows_of(found, chat) for chat in chats[: len(works)]} == {(2, 1)}
    assert [len(found.titles[f"note-{n}"]) for n in range(len(works))] == [1] * len(works)
    assert len(found["journal"]) == len(works)
    assert found["claims"] == []
    check_sums(found)


def question(chat, note):
    return {"chatId": chat, "userMessageId": f"message-{note}", "content": f"note={note}"}


def rows_of(found, chat):
    """How many messages and turns a chat has."""
    return tuple(
        sum(row["chat_id"] == chat for row in found[table]) for table in ("messages", "turns")
    )


def check_sums(found):
    """Nothing is held, and each account is the sum of its entries, of which each has one hold."""
    assert all(hold["state"] != "open" for hold in found["holds"])
    entries = found.by("entries", "account")
    for account in found["accounts"]:
        total = sum(entry["amount"] for entry in entries[account["subject"]])
        assert (account["balance"], account["held"]) == (total, 0)
    refs = [hold["ref"] for hold in found["holds"]]
    assert len(refs) == len(set(refs))
    charges = [entry["ref"] for entry in found["entries"] if entry["kind"] == "charge"]
    assert len(charges) == len(set(charges))
    assert set(charges) <= set(refs)


def test_a_call_killed_at_any_message_is_made_and_paid_at_most_once(forks):
    works = killed_everywhere(forks, "call", lambda n: (f"user-{n}", f"query-{n}"))
    answers = [(status, body.get("outcome")) for status, body in recovered(forks, works)]
    found, counts = forks.stored(), forks.vendor.counts
    print(f"{len(works)} kills, answers {answers}")
    assert set(answers) == {(200, None), (409, "unknown")}
    paid = {e["account"]: -e["amount"] for e in found["entries"] if e["kind"] == "charge"}
    for (_, (subject, query)), (status, _) in zip(works, answers, strict=True):
        assert counts[query] <= 1
        assert (status == 200, paid.get(subject, 0)) in ((True, PRICE), (False, 0))
        assert status == 409 or counts[query] == 1
    keys = {row["key"]: bool(row["answer"]) for row in found["idempotency_keys"]}
    assert keys == {
        f"key-{query}": status == 200
        for (_, (_, query)), (status, _) in zip(works, answers, strict=True)
    }
    check_sums(found)
