"""Self-signed certificates for tests."""

import subprocess
from pathlib import Path


def make_certificate(directory: Path) -> Path:
    """A directory with a self-signed certificate for 127.0.0.1."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", directory / "key.pem", "-out", directory / "certificate.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    return directory
