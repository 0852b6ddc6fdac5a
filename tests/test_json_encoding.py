"""JSON is written as `json.dumps` writes it, by an encoder that is made once."""

import json
import json.encoder
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.json_encoding import encoder

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
FORMS = [
    {},
    {"separators": (", ", ": "), "ensure_ascii": True},
    {"sort_keys": True, "allow_nan": False},
]


@pytest.fixture(params=[True, False], ids=["C", "Python"])
def accelerated(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(json.encoder, "c_make_encoder", None)


@pytest.mark.parametrize("form", FORMS)
@given(VALUES)
def test_a_value_is_written_as_the_library_writes_it(form, value):
    usual = {"separators": (",", ":"), "ensure_ascii": False, **form}
    assert encoder(**form)(value) == json.dumps(value, **usual)


def test_what_is_no_json_is_replaced_or_refused(accelerated):
    assert encoder(default=lambda value: type(value).__name__)([{1}]) == '["set"]'
    for refused in ({1}, {(1,): 2}):
        with pytest.raises(TypeError):
            encoder()(refused)


def test_numbers_that_are_none_are_refused_on_request(accelerated):
    assert encoder()([math.inf]) == "[Infinity]"
    with pytest.raises(ValueError, match="JSON"):
        encoder(allow_nan=False)([math.nan])


def test_a_value_that_contains_itself_is_refused_and_the_next_is_written(accelerated):
    write, endless = encoder(), []
    endless.append(endless)
    with pytest.raises(RecursionError):
        write(endless)
    assert write([[]]) == "[[]]"
