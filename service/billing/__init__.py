"""Credits: prices, payers and the ledger."""
