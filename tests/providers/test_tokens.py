"""The estimate of a text's tokens: a bound with room, for what tokenizers make of such texts."""

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.providers.tokens import bound, likely
from tests.providers.stream_reading import repeatable

DICE = random.Random(7)
ENGLISH = "The harbour office answers within two days, and nobody waits longer than that. " * 40
# Tokens for a character that tokenizers come to at the least favourable, as published.
MEASURED = {
    "English prose, with the newest tokenizer of A": (ENGLISH, 0.32),
    "base64": (base64.b64encode(DICE.randbytes(3_000)).decode(), 0.75),
    "hexadecimal": (DICE.randbytes(2_000).hex(), 0.7),
    "digits, one by one": ("".join(DICE.choices("0123456789", k=4_000)), 1.0),
    "random letters": ("".join(DICE.choices("abcdefghijklmnopqrstuvwxyz", k=4_000)), 0.5),
    "Chinese": ("海港办公室两天内答复，没有人等更久。" * 200, 1.15),
    "Russian": ("Портовая контора отвечает за два дня. " * 100, 0.7),
    "emoji": ("🙂🚢🎉" * 1_000, 1.15),
}


@pytest.mark.parametrize(("text", "measured"), MEASURED.values(), ids=MEASURED)
def test_the_bound_has_room_for_what_is_measured(text, measured):
    assert measured * len(text) <= bound(text) <= 2 * measured * len(text)


def test_a_bound_of_three_bytes_a_token_would_be_too_low():
    digits = "7" * 30_000
    assert bound(digits) == len(digits) > len(digits) / 3


@repeatable(300)
@given(st.text(), st.text())
def test_a_longer_text_never_counts_as_fewer_tokens(one, other):
    assert bound(one) <= bound(one + other)


@repeatable(300)
@given(st.text(min_size=1))
def test_no_text_is_free_and_none_is_over_its_bytes(text):
    assert 0 < bound(text) <= max(1, len(text.encode("utf-8", "replace")))
    assert 0 < likely(bound(text)) <= bound(text) + 1
