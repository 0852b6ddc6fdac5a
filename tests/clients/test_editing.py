"""Each version of the real client edits and answers again as docs/api.md shows."""

import pytest

from tests.clients.client_readings import Reader
from tests.clients.packages import PACKAGES

ONE, TWO, UNO = "repeat after me: one", "repeat after me: two", "repeat after me: uno"


@pytest.mark.parametrize("package", PACKAGES)
def test_what_the_client_shows_is_what_is_stored(running, package):
    reader = Reader(running, package)
    chat, texts = reader.edit()
    assert texts == [[ONE, "one", TWO, "two"], [ONE, "one"], [UNO, "uno"]]
    assert [row["data"]["content"] for row in reader.rows(chat)] == texts[-1]
