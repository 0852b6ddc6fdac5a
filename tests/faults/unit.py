"""A stand-in for systemd that runs the commands of deploy/service.service.

It runs their commands, gives them the settings' file as it is at that moment, listens to their
notifications and takes them from whom `NotifyAccess=exec` allows. Processes whose parent has ended
become children of this one, as they become systemd's.
"""

import ctypes
import os
import shlex
import signal
import socket
import struct
import subprocess
from contextlib import suppress
from pathlib import Path

import gevent

from config import ROOT
from tests.services import wait_for

MIGRATION = "/flask --app wsgi db upgrade"
PR_SET_CHILD_SUBREAPER = 36
CREDENTIALS = struct.Struct("3i")
libc = ctypes.CDLL(None, use_errno=True)


def lines_of(name: str) -> list[str]:
    """Return the values of all lines `name=` of the unit file, in order."""
    unit = (ROOT / "deploy/service.service").read_text()
    return [line.partition("=")[2] for line in unit.splitlines() if line.startswith(f"{name}=")]


def commands_of(name: str, migrate: bool) -> list[str]:
    """The commands of a line of the unit file, without its migration if that is not wanted."""
    commands = lines_of(name)
    others = [command for command in commands if not command.endswith(MIGRATION)]
    assert len(others) == len(commands) - 1
    return commands if migrate else others


class Unit:
    """The service as its unit in the source tree at `tree`; `settings` is /etc/service.env."""

    def __init__(self, tree: Path, directory: Path, settings: dict[str, str]) -> None:
        assert lines_of("Type") == ["notify"]
        assert lines_of("NotifyAccess") == ["exec"]
        assert lines_of("RuntimeDirectory") == ["service"]
        self.tree, self.settings = tree, settings
        self.runtime = directory / "run"
        self.runtime.mkdir(mode=0o700)
        self.log = directory / "journal"
        self.main = self.control = 0
        self.ready = False
        self._processes: list[subprocess.Popen] = []
        self._notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notifications.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._notifications.bind(str(directory / "notify"))
        self._listening = gevent.spawn(self._listen)
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1)

    def start(self, migrate: bool = True) -> "Unit":
        """`migrate` is false where the database is migrated already: that takes a second of a
        processor each time."""
        for command in commands_of("ExecStartPre", migrate):
            assert self._spawn(command).wait(60) == 0, self.journal
        (command,) = lines_of("ExecStart")
        self.main = self._spawn(command).pid
        wait_for(lambda: self.ready, 60)
        return self

    def reload(self, migrate: bool = True) -> bool:
        """Run ExecReload and return whether every command has succeeded."""
        for command in commands_of("ExecReload", migrate):
            process = self._spawn(command.replace("$MAINPID", str(self.main)))
            self.control = process.pid
            status = process.wait(90)
            self.control = 0
            if status != 0:
                return False
        return True

    def stop(self) -> None:
        """Send SIGTERM to the main process and then SIGKILL to the rest, as KillMode=mixed."""
        with suppress(ProcessLookupError):
            os.kill(self.main, signal.SIGTERM)
            wait_for(lambda: not self.runs(self.main), 40)
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not self.processes(), 10)
        libc.prctl(PR_SET_CHILD_SUBREAPER, 0)
        self._listening.kill()
        self._notifications.close()

    remove = stop

    @property
    def journal(self) -> str:
        return self.log.read_text()

    def runs(self, pid: int) -> bool:
        """Whether a process is alive. An ended child is reaped first."""
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        return Path(f"/proc/{pid}").exists()

    def processes(self) -> list[int]:
        """Return the processes of the unit, which have its runtime directory in the environment."""
        pids = []
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if f"RUNTIME_DIRECTORY={self.runtime}".encode() in (entry / "environ").read_bytes():
                    pids.append(int(entry.name))
        return [pid for pid in pids if self.runs(pid)]

    def parent_of(self, pid: int) -> int:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])

    def _spawn(self, command: str) -> subprocess.Popen:
        arguments = shlex.split(command.replace("/srv/service", str(self.tree)))
        environ = {
            "PATH": os.environ["PATH"],
            "NOTIFY_SOCKET": self._notifications.getsockname(),
            "RUNTIME_DIRECTORY": str(self.runtime),
            **self.settings,
        }
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                arguments, cwd=self.tree, env=environ, stdout=log, stderr=log
            )
        self._processes.append(process)
        return process

    def _listen(self) -> None:
        while True:
            data, ancillary, _, _ = self._notifications.recvmsg(4096, 1024)
            sender = 0
            for _level, kind, value in ancillary:
                if kind == socket.SCM_RIGHTS:  # a barrier: everything before it has been read
                    os.close(int.from_bytes(value[:4], "little"))
                elif kind == getattr(socket, "SCM_CREDENTIALS", 2):
                    sender = CREDENTIALS.unpack(value)[0]
            if sender in (self.main, self.control):
                self._take(dict(line.split("=", 1) for line in data.decode().splitlines()))

    def _take(self, message: dict[str, str]) -> None:
        self.ready = self.ready or message.get("READY") == "1"
        if "MAINPID" in message:
            main = int(message["MAINPID"])
            # systemd does not wait for the end of a main process that is not its child.
            assert self.parent_of(main) == os.getpid(), "the new main process has another parent"
            self.main = main
