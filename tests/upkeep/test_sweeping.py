"""The sweeper of a worker, which works until the worker ends."""

from types import SimpleNamespace

import gevent

from service import lasting
from service.upkeep import sweeping
from tests.services import on_sqlite, wait_for


class Media:
    """A sweeper of media that fails at first, in a way that nobody expects."""

    sweeps = 0

    def sweep(self) -> int:
        self.sweeps += 1
        if self.sweeps == 1:
            raise ValueError
        return 0


@on_sqlite
def test_an_unexpected_error_does_not_end_the_sweeping(app, monkeypatch, capsys):
    media, watch = Media(), SimpleNamespace(look=lambda: None, is_steady=True, silent=())
    monkeypatch.setitem(app.extensions, "media_sweeper", media)
    monkeypatch.setitem(app.extensions, "lease_watch", watch)
    monkeypatch.setattr(gevent.get_hub(), "handle_error", lambda *_: None)  # which prints it
    monkeypatch.setattr(lasting, "RESTART_SECONDS", 0.01)
    for name in ("LOOK_SECONDS", "SWEEP_SECONDS"):
        monkeypatch.setattr(sweeping, name, 0.01)
    running = app.extensions["start_sweeping"]()
    try:
        wait_for(lambda: media.sweeps > 1)
    finally:
        running.kill()
    assert '"work": "sweeper"' in capsys.readouterr().err
