"""Estimates of the tokens of a text, without any provider's tokenizer.

Tokenizers merge frequent sequences. Ordinary words have about one token for four letters. Digits,
capitals, marks and other scripts have nearly one for each character, and rare bytes one for each
byte. So characters are counted by class, and each class has an upper bound: random letters, base64
and hexadecimal have at most 0.75 tokens for each character, Chinese at most 1.2, emoji 2 to 3.

The bounds are based on publications about the byte-pair tokenizers of provider B's and C's models
(o200k: digits in groups of three, 0.6 to 0.8 for base64), and on counts by users of provider A's
models. Their newest tokenizer makes up to 1.35 times as many tokens for English as the one before.
No vocabulary is needed.
"""

# Sixteenths of a token for each character, by its first byte in UTF-8.
SIXTEENTHS: tuple[tuple[bytes, int], ...] = (
    (bytes(range(0x61, 0x7B)), 8),  # a-z: half a token in random text, a quarter in words
    (b" ", 2),  # most belong to the next word's token
    (bytes([*range(0x20), *range(0x21, 0x61), *range(0x7B, 0x80)]), 16),
    (bytes(range(0xC0, 0xE0)), 16),  # two bytes: accents, Greek, Cyrillic, Hebrew, Arabic
    (bytes(range(0xE0, 0xF0)), 19),  # three: Chinese, Japanese, Korean, Indic scripts
    (bytes(range(0xF0, 0x100)), 40),  # four: emoji, seldom-used signs
)
CONTINUING = bytes(range(0x80, 0xC0))
LETTERS, SPACE, OTHERS = SIXTEENTHS[:3]  # the classes of ASCII
MOST_CHARACTERS = 16 // SPACE[1]  # the most characters of one token

# The mean of a whole text is limited to that of Chinese. Only a text of emoji alone, or of a script
# that a tokenizer reads byte by byte, can have a higher mean; its usage above the estimate is still
# charged. With a higher limit, a first message could hold a tenth of a new account.
MEAN = 19

LIKELY = (2, 3)  # of the bound: the middle of the results of tokenizers


def bound(text: str) -> int:
    """Return an upper bound of a text's tokens."""
    data = text.encode("utf-8", "replace")
    if text.isascii():  # takes a third of the time
        return -(-min(_ascii(data), MEAN * len(data)) // 16)
    total = 0
    for first_bytes, weight in SIXTEENTHS:
        total += _count(data, first_bytes) * weight
    characters = len(data) - _count(data, CONTINUING)
    return -(-min(total, MEAN * characters) // 16)


def _ascii(data: bytes) -> int:
    letters, spaces = _count(data, LETTERS[0]), data.count(SPACE[0])
    others = len(data) - letters - spaces
    return letters * LETTERS[1] + spaces * SPACE[1] + others * OTHERS[1]


def likely(most: int) -> int:
    """Return the probable number of tokens of a text, from its bound."""
    return most * LIKELY[0] // LIKELY[1] + 1


def _count(data: bytes, of: bytes) -> int:
    # Deleting takes 1 ns for a byte; a loop over the characters would block the worker.
    return len(data) - len(data.translate(None, of))
