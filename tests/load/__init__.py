"""Many users of one service while its workers, its database and its releases come and go.

`python -m tests.load` runs them, and counts afterwards whether docs/contract.md held: section 5 for
turns, 7 for records, 9 for credits and 10 for calls.
"""
