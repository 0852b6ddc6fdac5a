"""Five versions of the client lose their connection and resume the reply."""

import pytest

from tests.clients.client_readings import Question, Reader, Reading
from tests.clients.packages import PACKAGES
from tests.services import Service


@pytest.fixture(scope="module")
def running(packages, databases):
    with Service(databases.make("sqlite"), RESUME_SECONDS=60) as service:
        yield service.start()


@pytest.fixture(scope="module", params=PACKAGES)
def reading(request, running) -> Reading:
    question = Question("resumed", "count to 300", cut=True)
    return Reader(running, request.param).read([question])["resumed"]


def test_no_chunk_of_a_resumed_reply_breaks_the_schema(reading):
    assert (reading.invalid, reading.errors) == ([], [])
    assert reading.endings == ["finish"]
    assert reading.chunks == reading.sent


def test_a_resumed_reply_is_whole(reading):
    assert reading.parts == reading.stored["data"]["parts"]
    assert reading.message["id"] == reading.stored["recordId"]
    assert reading.message["metadata"]["userMessage"]["content"] == "count to 300"
