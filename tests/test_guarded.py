"""Guarded requests go to public addresses only."""

import _socket
import ipaddress
import socket

import gevent
import pytest
from gevent.monkey import get_original

from service.observing import attribution
from service.outbound.guarded import LOOK_UPS, LOOK_UPS_EACH, is_public
from service.outbound.stream import UpstreamError
from service.outbound.upstream import Outbound
from tests.upstream import Answer, ScriptedUpstream

sleep_in_thread = get_original("time", "sleep")

PRIVATE = [
    "127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",  # noqa: S104
    "100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1",
    "ff02::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:0:0:0:0:f5ff:fffe",
    "192.0.0.192", "::7f00:1", "64:ff9b:1::a00:1", "3fff::1", "5f00::1", "fec0::1",
    "::ffff:0:7f00:1", "::5efe:a00:1", "4000::1",
]  # fmt: skip
PUBLIC = ["93.184.215.14", "1.1.1.1", "2606:4700::1111", "64:ff9b::101:101"]


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_is_not_public(address):
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_public(address):
    assert is_public(ipaddress.ip_address(address))


@pytest.fixture
def inside():
    """A server at a private address."""
    scripted = ScriptedUpstream()
    scripted.answers = [Answer(b"{}")] * 20
    yield scripted
    scripted.stop()


HOSTS = ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "[::1]", "0"]


@pytest.mark.parametrize("host", HOSTS)
def test_a_guarded_request_does_not_reach_a_private_address(caller, inside, host):
    port = inside.url.rpartition(":")[2]
    plain = Outbound("test", "GET", f"http://127.0.0.1:{port}/", {})
    assert caller.fetch(plain, 100)[0] == 200
    guarded = Outbound("test", "GET", f"http://{host}:{port}/", {}, guarded=True)
    with pytest.raises(UpstreamError) as error:
        caller.fetch(guarded, 100)
    assert error.value.reason in ("not-public", "unreachable", "cut")
    assert len(inside.seen) == 1


@pytest.fixture
def look_up(monkeypatch):
    """Replaces what asks for the addresses of names, in whichever thread."""
    real = _socket.getaddrinfo

    def replace(answer):
        def fake(host, port, *arguments, **options):
            is_number = len(arguments) == 4 and arguments[3] & socket.AI_NUMERICHOST
            ask = real if is_number or host == "localhost" else answer
            return ask(host, port, *arguments, **options)

        monkeypatch.setattr("_socket.getaddrinfo", fake)

    return replace


def test_the_name_is_looked_up_once_and_each_of_its_addresses_is_checked(caller, look_up):
    lookups, answers = [], iter([["93.184.215.14", "127.0.0.1"], ["127.0.0.1"]])

    def lookup(host, port, *_arguments, **_options):
        lookups.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, port)) for a in next(answers)]

    look_up(lookup)
    guarded = Outbound("test", "GET", "http://rebinding.example/", {}, guarded=True)
    with pytest.raises(UpstreamError) as error:
        caller.fetch(guarded, 100)
    assert (error.value.reason, lookups) == ("not-public", ["rebinding.example"])


@pytest.fixture
def slow(caller, look_up):
    """Makes calls of a user, by names that nobody answers for until the test ends. Returns the
    names that were looked up, of all users."""
    begun, over = [], []

    def wait(host, *_arguments, **_options):
        begun.append(host)
        while not over:
            sleep_in_thread(0.05)
        raise socket.gaierror(socket.EAI_AGAIN, "no answer")

    def call(user, number):
        attribution.begin(user=user)
        url = f"http://{number}.{user}.example/"
        with pytest.raises(UpstreamError, match="timeout"):
            caller.fetch(Outbound("test", "GET", url, {}, whole=0.5, guarded=True), 100)

    def calls(user):
        calling = [gevent.spawn(call, user, number) for number in range(20)]
        gevent.joinall(calling, raise_error=True)
        return begun

    look_up(wait)
    yield calls
    over.append(True)


def test_slow_name_servers_of_callers_do_not_hold_up_other_look_ups(caller, inside, slow):
    port = inside.url.rpartition(":")[2]
    for user in ("alice", "bob", "carol", "dave"):
        begun = slow(user)
    other = Outbound("test", "GET", f"http://localhost:{port}/", {}, whole=5)
    assert caller.fetch(other, 100) == (200, b"{}")
    assert 0 < len(begun) <= LOOK_UPS


def test_the_slow_name_servers_of_a_user_hold_up_only_that_user(caller, inside, slow):
    begun = slow("alice")
    assert len(begun) == LOOK_UPS_EACH
    attribution.begin(user="bob")
    port = inside.url.rpartition(":")[2]
    other = Outbound("test", "GET", f"http://localhost:{port}/", {}, whole=5, guarded=True)
    with pytest.raises(UpstreamError, match="not-public"):
        caller.fetch(other, 100)
