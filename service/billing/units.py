"""The units of amounts, which are stored in integer micro-credits. 1 credit is about 2 US cents."""

CREDIT = 1_000_000  # micro-credits
DOLLAR = 50 * CREDIT  # for prices of vendors in US dollars


def to_credits(micro_credits: int) -> float:
    """Convert micro-credits to credits, which answers and commands show."""
    return micro_credits / CREDIT


def to_micro_credits(credits: float) -> int:
    """Convert credits, as settings, prices and requests have them, to micro-credits."""
    return round(credits * CREDIT)


def credits_text(micro_credits: int) -> str:
    """Format micro-credits as credits for people, to the last digit: `999.6985`, `1234567`."""
    return f"{to_credits(micro_credits):.6f}".rstrip("0").rstrip(".")


def count_credits(credits: float) -> str:
    """Format credits with their unit, for people: `1 credit`, `0.25 credits`."""
    text = credits_text(to_micro_credits(credits))
    return f"{text} {'credit' if text == '1' else 'credits'}"
