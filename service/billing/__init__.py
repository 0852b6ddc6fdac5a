"""Credits: what everything costs, who pays, and the ledger that keeps it."""
