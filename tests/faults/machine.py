"""A small machine with the real systemd, which runs deploy/service.service as an operator's does.

systemd-nspawn starts systemd as process 1 in namespaces of its own. The machine has this one's /usr
and network, and a tree, a user and a file of settings as docs/deployment.md describes them.
"""

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from config import ROOT
from tests.fresh_copy import FreshCopy
from tests.services import require, wait_for

USER = 990
BOOT_SECONDS = 30.0
VENV = "/srv/service/.venv"
PYTHON = "/srv/python"  # the unit can't reach one in a home directory
# Control groups of version 1 do not tell systemd when they are empty. After a main process that was
# killed it would then wait for all of the unit's 40 s.
DROP_IN = """[Service]
TimeoutStopSec=5
"""
TARGET = """[Unit]
Requires=basic.target
After=basic.target
AllowIsolate=yes
"""


class Machine:
    """The machine, and the service as its unit, with the interface of the stand-in `Unit`."""

    def __init__(self, directory: Path, settings: dict[str, str]) -> None:
        require(shutil.which("systemd-nspawn"), "systemd-container")
        self._root = directory / "root"
        self.tree = self._root / "srv/service"
        self.settings = settings
        self._mounts = {"/usr": "/usr", f"{sys.prefix}/lib": f"{VENV}/lib"}
        self._own_python = sys.base_prefix != "/usr"
        if self._own_python:
            self._mounts[sys.base_prefix] = PYTHON
        self._output = directory / "console"
        self._install()
        self._write_settings()
        self._boot()

    def start(self) -> "Machine":
        started = self.systemctl("start")
        assert started.returncode == 0, self.journal
        return self

    def reload(self) -> bool:
        self._write_settings()
        return self.systemctl("reload").returncode == 0

    def stop(self) -> None:
        self.systemctl("stop")

    @property
    def main(self) -> int:
        return int(self.state("MainPID"))

    def state(self, name: str) -> str:
        return self.systemctl("show", "--property", name, "--value").stdout.strip()

    def systemctl(self, verb: str, *arguments: str) -> subprocess.CompletedProcess:
        return self._run("systemctl", verb, *arguments, "service")

    @property
    def journal(self) -> str:
        return self._run("journalctl", "--unit", "service", "--no-pager", "--output", "cat").stdout

    def runs(self, pid: int) -> bool:
        inside = Path("/proc", str(self._init), "root")  # the machine's file system; see proc(5)
        return (inside / "proc" / str(pid)).exists()

    def remove(self) -> None:
        self._nspawn.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._nspawn.wait(30)
        self._nspawn.kill()
        self._nspawn.wait()

    def _install(self) -> None:
        for name in (
            "etc/systemd/system",
            "usr",
            "proc",
            "sys",
            "dev",
            "run",
            "tmp",
            "var",
            "root",
        ):
            (self._root / name).mkdir(parents=True)
        for name in ("bin", "sbin", "lib", "lib64"):
            (self._root / name).symlink_to(f"usr/{name}")
        etc = self._root / "etc"
        for name in ("passwd", "group"):
            entry = f"service:x:{USER}:{USER}::/nonexistent:/usr/sbin/nologin\n"
            text = Path("/etc", name).read_text()
            (etc / name).write_text(text + (entry if name == "passwd" else f"service:x:{USER}:\n"))
        for name in ("ld.so.cache", "nsswitch.conf", "hosts"):
            shutil.copy(f"/etc/{name}", etc)
        (etc / "machine-id").touch()
        (etc / "os-release").write_text("ID=debian\n")
        FreshCopy(self.tree)
        (self.tree / "instance").mkdir()
        os.chown(self.tree / "instance", USER, USER)
        self._install_python()
        shutil.copy(ROOT / "deploy/service.service", etc / "systemd/system")
        (etc / "systemd/system/default.target").write_text(TARGET)
        drop_ins = etc / "systemd/system/service.service.d"
        drop_ins.mkdir()
        (drop_ins / "stop.conf").write_text(DROP_IN)

    def _install_python(self) -> None:
        """Put a virtual environment into the tree that has this one's packages."""
        venv = self.tree / ".venv"
        venv.unlink()  # it was a link to this one, which may be in a home directory
        (venv / "lib").mkdir(parents=True)
        (venv / "bin").mkdir()
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        home = f"{PYTHON if self._own_python else '/usr'}/bin"
        (venv / "pyvenv.cfg").write_text(f"home = {home}\ninclude-system-site-packages = false\n")
        (venv / "bin" / version).symlink_to(f"{home}/{version}")
        for name in ("python", "python3"):
            (venv / "bin" / name).symlink_to(version)
        for name in ("flask", "gunicorn"):
            script = Path(sys.prefix, "bin", name).read_text().partition("\n")[2]
            (venv / "bin" / name).write_text(f"#!{VENV}/bin/python\n{script}")
            (venv / "bin" / name).chmod(0o755)

    def _write_settings(self) -> None:
        library = {"LD_LIBRARY_PATH": f"{PYTHON}/lib"} if self._own_python else {}
        path = self._root / "etc/service.env"
        values = {**self.settings, **library}
        path.write_text("".join(f"{key}={json.dumps(value)}\n" for key, value in values.items()))
        path.chmod(0o600)

    def _boot(self) -> None:
        """Start systemd. Skips the test where the kernel or a container around us forbids it."""
        name = f"--machine=service-{os.getpid()}-{self.settings['PORT']}"
        binds = [f"--bind-ro={source}:{place}" for source, place in self._mounts.items()]
        with self._output.open("wb") as output:
            self._nspawn = subprocess.Popen(
                ["systemd-nspawn", "--quiet", f"--directory={self._root}", name, *binds,
                 "--register=no", "--keep-unit", "--boot"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip
        try:
            wait_for(lambda: self._nspawn.poll() is not None or self._has_booted(), BOOT_SECONDS)
        except AssertionError:
            self.remove()
        if self._nspawn.poll() is not None:
            lines = self._output.read_text(errors="replace").splitlines() or ["no output"]
            pytest.skip(f"systemd can't be started here: {lines[-1]}")

    def _has_booted(self) -> bool:
        if "default.target" not in self._output.read_text(errors="replace"):
            return False
        children = Path(f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children")
        with suppress(OSError, ValueError):
            (self._init,) = map(int, children.read_text().split())
            return self._run("systemctl", "is-active", "default.target").returncode == 0
        return False

    def _run(self, *command: str) -> subprocess.CompletedProcess:
        inside = ["nsenter", "--all", "--target", str(self._init), *command]
        return subprocess.run(inside, capture_output=True, text=True, timeout=120)
