"""Tool names: to the wire in a form that every provider takes, and back by looking them up."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.providers.names import NameTable
from tests.providers.stream_reading import repeatable

TAKEN = re.compile(r"[a-zA-Z0-9_-]{1,64}")  # by OpenAI; Anthropic takes up to 128


def test_dots_become_two_underscores_and_come_back():
    table = NameTable(["github.issues.list", "clock-now", "plain"])
    assert table.to_wire("github.issues.list") == "github__issues__list"
    assert table.to_wire("clock-now") == "clock-now"
    assert table.from_wire("github__issues__list") == "github.issues.list"
    assert table.from_wire("plain") == "plain"


def test_names_that_would_be_alike_are_kept_apart():
    table = NameTable(["a.b", "a__b", "a/b", "a b", "a.b"])
    wires = [table.to_wire(name) for name in ("a.b", "a__b", "a/b", "a b")]
    assert wires[0] == "a__b"
    assert wires[2] == "a_b"
    assert len(set(wires)) == 4
    assert [table.from_wire(wire) for wire in wires] == ["a.b", "a__b", "a/b", "a b"]
    assert re.fullmatch("a__b_[0-9a-f]{8}", wires[1])


def test_long_names_are_shortened_with_a_hash():
    fits, long, longer = "x" * 64, "x" * 65, "x" * 66
    table = NameTable([fits, long, longer])
    assert table.to_wire(fits) == fits
    assert re.fullmatch("x{55}_[0-9a-f]{8}", table.to_wire(long))
    assert table.to_wire(long) != table.to_wire(longer)
    assert table.from_wire(table.to_wire(longer)) == longer


def test_a_name_goes_out_alike_in_every_table_it_leads():
    assert NameTable(["é" * 70]).to_wire("é" * 70) == NameTable(["é" * 70, "z"]).to_wire("é" * 70)


names = st.text(st.sampled_from("ab._-/ é世"), max_size=12) | st.text(max_size=80).filter(
    lambda name: not any("\ud800" <= character <= "\udfff" for character in name)
)


@repeatable(300)
@given(own=st.lists(names, max_size=8))
def test_every_name_is_taken_by_every_provider_and_comes_back(own):
    table = NameTable(own)
    wires = {name: table.to_wire(name) for name in own}
    assert all(TAKEN.fullmatch(wire) for wire in wires.values())
    assert len(set(wires.values())) == len(set(own))
    assert all(table.from_wire(wire) == (name or "unknown") for name, wire in wires.items())


@pytest.mark.parametrize(
    "received",
    [
        "weather__read",
        "functions.weather__read",
        "weather__read<|channel|>commentary",
        "functions.weather__read<|channel|>analysis json",
        " weather__read \n",
        "weather__read <|call|>",
    ],
)
def test_what_gpt_oss_adds_to_a_name_is_taken_off(received):
    assert NameTable(["weather.read"]).from_wire(received) == "weather.read"


@pytest.mark.parametrize("received", ["weather.read", "Weather__read", "no_such_tool", "a.b", "读"])
def test_an_unknown_name_comes_back_as_received(received):
    assert NameTable(["weather.reader"]).from_wire(received) == received


@pytest.mark.parametrize("received", ["", " ", "functions.", "<|channel|>commentary"])
def test_no_name_at_all_is_called_unknown(received):
    assert NameTable(["weather.read"]).from_wire(received) == "unknown"


def test_an_unknown_name_can_be_stored():
    assert NameTable([]).from_wire("a\x00b\ud800") == "a\ufffdb\ufffd"
