"""What a client has sent, as a socket of a worker."""


class ArrivedBytes:
    """A socket whose bytes have all arrived, so that no read waits."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def settimeout(self, _seconds: float | None) -> None:
        pass

    def recv(self, size: int) -> bytes:
        data, self._data = self._data[:size], self._data[size:]
        return data
