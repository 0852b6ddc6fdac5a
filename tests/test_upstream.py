"""The headers of every outbound request, and the parsing of `Retry-After`."""

import configparser
import time
from email.utils import formatdate

import pytest

from config import ROOT
from service.outbound.retry import retry_after
from service.outbound.upstream import Outbound
from service.release import USER_AGENT
from tests.upstream import Answer


def test_every_request_names_our_user_agent(caller, upstream):
    upstream.answers = [Answer(b"{}")]
    caller.fetch(Outbound("test", "GET", upstream.url, {}), 100)
    assert upstream.seen[0].headers["user-agent"] == USER_AGENT


def test_the_user_agent_is_the_name_and_version_of_the_package():
    package = configparser.ConfigParser()
    package.read(ROOT / "setup.cfg")
    assert f"{package['metadata']['name']}/{package['metadata']['version']}" == USER_AGENT


SECONDS = {"3": 3.0, " 3 ": 3.0, "0": 0.0, "0.25": 0.25, "12.5": 12.5}
INVALID = ["", "²", "٣", "-1", "1e3", "nan", "inf", "1_0", "soon", "9" * 400, "99 Foo 20000"]
INVALID += [f"Fri, 31 Dec {year} 00:00:00 GMT" for year in (10_000, 99_999_999_999)]


@pytest.mark.parametrize(("value", "seconds"), SECONDS.items())
def test_a_number_of_seconds_may_have_a_fraction(value, seconds):
    assert retry_after({"Retry-After": value}) == seconds


@pytest.mark.parametrize("value", INVALID)
def test_an_invalid_value_is_ignored(value):
    assert retry_after({"Retry-After": value}) is None


def test_a_date_is_the_seconds_until_then():
    later = formatdate(time.time() + 40, usegmt=True)
    assert 30 < retry_after({"Retry-After": later}) <= 40
    assert retry_after({"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}) == 0.0
