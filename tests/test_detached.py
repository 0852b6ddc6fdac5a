"""Work that continues if its caller is interrupted."""

import gevent
from structlog.testing import capture_logs

from service.database import detached
from tests.services import on_sqlite, wait_for


@on_sqlite
def test_an_error_after_the_caller_has_left_is_logged_with_what_failed(app):
    def work() -> None:
        gevent.sleep(0.05)
        raise ValueError("a value")

    with capture_logs() as logged, app.app_context():
        with gevent.Timeout(0.01, False):
            detached.run_detached(work, "tokens not revoked")
        wait_for(lambda: logged)
    line = {"event": "tokens not revoked", "log_level": "warning", "error": "ValueError"}
    assert logged == [line]
