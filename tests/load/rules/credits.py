"""Rules of credits and paid calls: docs/contract.md, sections 9 and 10."""

from collections import Counter
from collections.abc import Iterator

from service.billing.units import CREDIT
from tests.load.observations import Call
from tests.load.rules import Finding, Outcome, rule


def calls(outcome: Outcome) -> Iterator[Call]:
    return (call for user in outcome.observations for call in user.calls)


@rule("a balance is the sum of its entries")
def sums(outcome: Outcome) -> Iterator[Finding]:
    entries = outcome.stored.by("entries", "account")
    for account in outcome.stored["accounts"]:
        total = sum(entry["amount"] for entry in entries.get(account["subject"], []))
        yield account["balance"] == total, (account, total)


@rule("no account is negative, and what is held is the sum of its open holds")
def held(outcome: Outcome) -> Iterator[Finding]:
    holds = outcome.stored.by("holds", "account")
    for account in outcome.stored["accounts"]:
        rows = holds.get(account["subject"], [])
        total = sum(hold["amount"] for hold in rows if hold["state"] == "open")
        good = account["held"] == total and 0 <= account["held"] <= account["balance"]
        yield good, (account, total)


@rule("no hold is open after its expiry and a sweep", at_rest=True)
def no_late_hold(outcome: Outcome) -> Iterator[Finding]:
    yield outcome.stored.expired == 0, outcome.stored.expired


@rule("no turn's hold is open", at_rest=True)
def no_turn_holds(outcome: Outcome) -> Iterator[Finding]:
    for hold in outcome.stored["holds"]:
        yield hold["state"] != "open" or not hold["lease_id"], hold


@rule("a charge belongs to exactly one hold, and a hold has at most one charge")
def one_hold_each(outcome: Outcome) -> Iterator[Finding]:
    holds = Counter((hold["account"], hold["ref"]) for hold in outcome.stored["holds"])
    charged = [e for e in outcome.stored["entries"] if e["kind"] == "charge"]
    charges = Counter((entry["account"], entry["ref"]) for entry in charged)
    for key, count in charges.items():
        yield (count, holds[key]) == (1, 1), (key, count, holds[key])


@rule("a charge belongs to exactly one stored turn or call, or to one that was lost")
def charge_has_cause(outcome: Outcome) -> Iterator[Finding]:
    turns = {row["turn_id"] for row in outcome.stored["turns"]}
    made = {row["call_id"] for row in outcome.stored["integration_calls"]}
    for entry in outcome.stored["entries"]:
        if entry["kind"] == "charge":
            ref = entry["ref"].partition("/")[0]
            lost = entry["what"] == "interrupted" or entry["facts"].get("turnId") == ref
            yield (ref in turns) + (ref in made) == 1 or lost, entry


@rule("a turn's row says what was charged for it")
def turns_tell_charges(outcome: Outcome) -> Iterator[Finding]:
    charged: Counter[str] = Counter()
    for entry in outcome.stored["entries"]:
        if entry["kind"] in ("charge", "rest"):
            charged[entry["ref"].partition("/")[0]] -= entry["amount"]
    for turn in outcome.stored["turns"]:
        told = (turn["credits"], charged[turn["turn_id"]])
        yield told[0] == told[1], (turn["turn_id"], told)


@rule("users are told the balance that is stored")
def told_balance(outcome: Outcome) -> Iterator[Finding]:
    accounts = {row["subject"]: row for row in outcome.stored["accounts"]}
    for subject, told in outcome.credits.items():
        if subject in accounts:
            stored = accounts[subject]["balance"] / CREDIT
            yield abs(told["balance"] - stored) < 1e-6, (subject, told["balance"], stored)


@rule("a key calls the vendor at most once")
def called_once(outcome: Outcome) -> Iterator[Finding]:
    for call in calls(outcome):
        yield outcome.counts.get(call.query, 0) <= 1, (call, outcome.counts.get(call.query))


@rule("an answered call was made, and its key's answers are one")
def answers_are_one(outcome: Outcome) -> Iterator[Finding]:
    for call in calls(outcome):
        if call.accepted:
            same = all(answer == call.accepted[0] for answer in call.accepted)
            yield same and outcome.counts.get(call.query) == 1, call.key


@rule("an answered call is never told to be unknown")
def answered_or_unknown(outcome: Outcome) -> Iterator[Finding]:
    for call in calls(outcome):
        yield not (call.accepted and call.is_unknown), call.key


@rule("a key of an answered call keeps its answer, and one of an unknown call has none")
def keys_keep(outcome: Outcome) -> Iterator[Finding]:
    keys = {row["key"]: row for row in outcome.stored["idempotency_keys"]}
    for call in calls(outcome):
        if call.accepted or call.is_unknown:
            row = keys.get(call.key)
            yield row is not None and bool(row["answer"]) == bool(call.accepted), call.key


@rule("a user pays each answered call once, and no other")
def paid_once(outcome: Outcome) -> Iterator[Finding]:
    entries = outcome.stored.by("entries", "account")
    for user in outcome.observations:
        mine = entries.get(user.subject, [])
        charges = [e for e in mine if e["kind"] == "charge" and e["facts"].get("integration")]
        answered = sum(bool(call.accepted) for call in user.calls)
        unclear = sum(not call.accepted and not call.is_unknown for call in user.calls)
        yield (
            answered <= len(charges) <= answered + unclear,
            (user.subject, len(charges), answered),
        )


@rule("the log of calls has one row for each call that was paid")
def log_of_calls(outcome: Outcome) -> Iterator[Finding]:
    rows = outcome.stored.by("integration_calls", "call_id")
    for entry in outcome.stored["entries"]:
        if entry["kind"] == "charge" and entry["facts"].get("integration"):
            found = [(row["status"], row["credits"]) for row in rows.get(entry["ref"], [])]
            yield found == [("succeeded", -entry["amount"])], (entry, found)
