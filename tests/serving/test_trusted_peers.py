"""Which peers may say what the client's scheme is: remembered, each for itself."""

from gunicorn.config import Config
from gunicorn.http.message import _ip_in_allow_list

from serving.patches import remembered


def test_the_answer_for_one_peer_is_not_given_to_another():
    configuration = Config()
    configuration.set("forwarded_allow_ips", "127.0.0.1,10.0.0.0/8")
    lists = configuration.forwarded_allow_ips, configuration.forwarded_allow_networks()
    check = remembered(_ip_in_allow_list)
    for _ in range(2):
        answers = [check(ip, *lists) for ip in ("127.0.0.1", "10.1.2.3", "192.0.2.1", "nonsense")]
        assert answers == [True, True, False, False]
    assert not check("127.0.0.1", [], [])
