import pytest

from service.storable import is_storable, make_storable


@pytest.mark.parametrize("text", ["", "plain", "é", "€", "😀", "\ue000\uffff", "\x01\x7f"])
def test_a_text_that_can_be_stored_stays_as_it_is(text):
    assert is_storable(text)
    assert make_storable(text) is text


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("\x00", "\ufffd"),
        ("a\x00é", "a\ufffdé"),
        ("\ud800", "\ufffd"),
        ("😀\udfff\udc00.", "😀\ufffd\ufffd."),
        ("\ud83d\ude00", "\ufffd\ufffd"),  # two surrogates are no character of Python's
    ],
)
def test_nul_and_surrogates_become_a_replacement_character(text, stored):
    assert not is_storable(text)
    assert make_storable(text) == stored
