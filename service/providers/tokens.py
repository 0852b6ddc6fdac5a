"""How many tokens a text may come to, without any provider's tokenizer.

Tokenizers merge what is frequent: ordinary words are a token for four letters, while digits,
capitals, marks and other scripts come close to a token for each character, and bytes that were
seldom seen to one for each byte. So characters are counted by class, and each class has the most
that a character of it takes in text of that kind, with room: random letters, base64 and hexadecimal
are at most 0.75 tokens for a character, Chinese at most 1.2, emoji 2 to 3.

Based on what is published of the byte-pair tokenizers of provider B's and C's models (o200k: digits
by threes, 0.6 to 0.8 for base64) and on counts by users of provider A's, whose newest takes up to
1.35 times as many for English as the one before it. Nobody's vocabulary is needed, or downloaded.
"""

# Sixteenths of a token for a character, by the first byte of it in UTF-8.
SIXTEENTHS: tuple[tuple[bytes, int], ...] = (
    (bytes(range(0x61, 0x7B)), 8),  # a-z: random ones are half a token, words a quarter
    (b" ", 2),  # most belong to the word behind them
    (bytes([*range(0x20), *range(0x21, 0x61), *range(0x7B, 0x80)]), 16),
    (bytes(range(0xC0, 0xE0)), 16),  # two bytes: accents, Greek, Cyrillic, Hebrew, Arabic
    (bytes(range(0xE0, 0xF0)), 19),  # three: Chinese, Japanese, Korean, Indic scripts
    (bytes(range(0xF0, 0x100)), 40),  # four: emoji, seldom-used signs
)
CONTINUING = bytes(range(0x80, 0xC0))

# The mean of a whole text never counts for more than Chinese does. Only a text that is all emoji,
# or of a script that a tokenizer takes byte by byte, can come to more; what it uses beyond its
# estimate is charged all the same, and nobody's first message blocks a tenth of their credits.
MEAN = 19

LIKELY = (2, 3)  # of the bound: the middle of what tokenizers make of such a text


def bound(text: str) -> int:
    """The most tokens that a text should come to."""
    data = text.encode("utf-8", "replace")
    total = sum(_count(data, first_bytes) * weight for first_bytes, weight in SIXTEENTHS)
    characters = len(data) - _count(data, CONTINUING)
    return -(-min(total, MEAN * characters) // 16)


def likely(most: int) -> int:
    """What a text probably comes to, from the bound: for what nobody has counted."""
    return most * LIKELY[0] // LIKELY[1] + 1


def _count(data: bytes, of: bytes) -> int:
    # Deleting runs at a byte a nanosecond; a look at each character would stop everybody else.
    return len(data) - len(data.translate(None, of))
