"""What every outbound request bears, and how long a host wants to be left alone."""

import configparser
import time
from email.utils import formatdate

import pytest

from config import ROOT
from service.upstream import USER_AGENT, Outbound, retry_after
from tests.upstream import Answer


def test_we_say_who_we_are(caller, upstream):
    upstream.answers = [Answer(b"{}")]
    caller.fetch(Outbound("test", "GET", upstream.url, {}), 100)
    assert upstream.seen[0].headers["user-agent"] == USER_AGENT


def test_our_name_and_version_are_the_package_s():
    package = configparser.ConfigParser()
    package.read(ROOT / "setup.cfg")
    assert f"{package['metadata']['name']}/{package['metadata']['version']}" == USER_AGENT


SECONDS = {"3": 3.0, " 3 ": 3.0, "0": 0.0, "0.25": 0.25, "12.5": 12.5}
NOTHING = ["", "²", "٣", "-1", "1e3", "nan", "inf", "1_0", "soon", "9" * 400, "99 Foo 20000"]


@pytest.mark.parametrize(("told", "seconds"), SECONDS.items())
def test_a_number_of_seconds_may_have_a_fraction(told, seconds):
    assert retry_after({"Retry-After": told}) == seconds


@pytest.mark.parametrize("told", NOTHING)
def test_what_is_neither_number_nor_date_asks_for_nothing(told):
    assert retry_after({"Retry-After": told}) is None


def test_a_date_is_the_seconds_until_then():
    later = formatdate(time.time() + 40, usegmt=True)
    assert 30 < retry_after({"Retry-After": later}) <= 40
    assert retry_after({"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}) == 0.0
