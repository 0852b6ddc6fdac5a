"""deploy/service.service: its commands exist, and its rights are limited."""

import re
import shutil
import subprocess

from config import ROOT
from tests.faults.unit import lines_of
from tests.services import require
from tests.starting import FreshCopy

UNIT = ROOT / "deploy/service.service"


def test_every_command_of_the_unit_exists(tmp_path):
    copy = FreshCopy(tmp_path)
    for kind in ("ExecStartPre", "ExecStart", "ExecReload"):
        for command in lines_of(kind):
            assert (copy.place / command.split()[0].removeprefix("/srv/service/")).exists()
    assert lines_of("ExecStart") == ["/srv/service/.venv/bin/gunicorn -c gunicorn.conf.py wsgi:app"]
    assert lines_of("ExecReload")[-1].endswith(f"$MAINPID {lines_of('ExecStart')[0]}")


def test_its_files_are_private_and_the_limit_of_open_files_suffices():
    assert lines_of("UMask") == ["0077"]
    assert int(lines_of("LimitNOFILE")[0]) >= 65_536


def test_the_exposure_of_the_unit_is_below_three():
    require(shutil.which("systemd-analyze"), "systemd-analyze (systemd)")
    command = ["systemd-analyze", "security", "--offline=yes", "--no-pager", str(UNIT)]
    result = subprocess.run(command, capture_output=True, text=True)
    match = re.search(r"Overall exposure level for service\.service: ([\d.]+)", result.stdout)
    assert match, result.stderr
    assert float(match[1]) < 3
