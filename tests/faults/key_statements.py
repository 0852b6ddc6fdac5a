"""Parts of the statements about idempotency keys, by which a proxy recognises them."""

KEEPS = b"idempotency_keys SET answer"


LEAVES = b"left_at=(statement_timestamp"
