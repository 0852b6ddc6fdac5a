"""Names of tools on the wire."""

from service.mcp.tool_list import NAME_LIMIT, wire_name


def test_names_of_tools_are_short_and_unique():
    assert wire_name("cloudsuite/mail-send", ()) == "cloudsuite_mail-send"
    assert wire_name("a.b", ["a_b"]) != "a_b"
    long = wire_name("x" * 60, ())
    assert len(long) == NAME_LIMIT
    assert long != wire_name("x" * 61, ())
