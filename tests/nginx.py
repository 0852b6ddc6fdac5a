"""nginx with deploy/nginx.conf in front of a service, with other ports, certificate and logs."""

import getpass
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from config import ROOT
from tests.certificates import make_certificate
from tests.services import free_port, require, wait_for


@dataclass
class Nginx:
    """nginx in front of a service."""

    directory: Path
    port: int
    plain_port: int  # for HTTP without TLS

    def __post_init__(self) -> None:
        self.url = f"https://127.0.0.1:{self.port}"
        self.client = self.session()

    def session(self) -> requests.Session:
        made = requests.Session()
        made.trust_env = False  # REQUESTS_CA_BUNDLE would take precedence
        made.verify = str(self.directory / "certificate.pem")
        return made

    def connect(self) -> ssl.SSLSocket:
        context = ssl.create_default_context(cafile=self.client.verify)
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        return context.wrap_socket(plain, server_hostname="127.0.0.1")

    def logged(self) -> str:
        return "".join(path.read_text() for path in sorted(self.directory.glob("*.log")))


@contextmanager
def run_nginx(service_port: int, directory: Path, port: int = 0) -> Iterator[Nginx]:
    """Run deploy/nginx.conf with other ports, another certificate and other logs."""
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    require(nginx, "nginx")
    require(shutil.which("openssl"), "openssl")
    made = Nginx(make_certificate(directory), port or free_port(), free_port())
    (directory / "site.conf").write_text(site_file(service_port, made))
    (directory / "nginx.conf").write_text(
        # Its processes may read the directory, which is the tests' own.
        f"daemon off; user {getpass.getuser()}; pid {directory}/pid;"
        f"error_log {directory}/error.log info;"
        f"events {{ worker_connections 4096; }} http {{ client_body_temp_path {directory}/body;"
        f"proxy_temp_path {directory}/proxy; include {directory}/site.conf; }}"
    )
    process = subprocess.Popen([nginx, "-p", directory, "-c", directory / "nginx.conf"])
    try:
        wait_for(lambda: is_answering(made))
        yield made
    finally:
        made.client.close()
        process.terminate()
        process.wait()


def site_file(service_port: int, nginx: Nginx) -> str:
    text = site_text()
    changes = {
        "listen 443 ssl http2;": f"listen 127.0.0.1:{nginx.port} ssl http2;",
        "listen 80;": f"listen 127.0.0.1:{nginx.plain_port};",
        "127.0.0.1:8000": f"127.0.0.1:{service_port}",
        "/etc/ssl/service/fullchain.pem": f"{nginx.directory}/certificate.pem",
        "/etc/ssl/service/privkey.pem": f"{nginx.directory}/key.pem",
        "/var/log/nginx/": f"{nginx.directory}/",
        "/var/www/acme": f"{nginx.directory}/acme",
    }
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def site_text() -> str:
    return (ROOT / "deploy/nginx.conf").read_text()


def is_answering(nginx: Nginx) -> bool:
    try:
        return nginx.client.get(f"{nginx.url}/healthz", timeout=2).ok
    except requests.ConnectionError:
        return False
