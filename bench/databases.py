"""Databases of the peers, migrated by a process of its own: this one is not patched by gevent."""

import subprocess
import sys

from config import ROOT
from tests import services


class Databases(services.Databases):
    def migrate(self, url: str) -> None:
        command = [sys.executable, "-m", "flask", "--app", "wsgi", "db", "upgrade"]
        environment = services.environment(url)
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
