"""deploy/service.service: its commands exist, and its rights are limited."""

import re
import shutil
import subprocess
import textwrap

from config import ROOT
from tests.faults.unit import lines_of
from tests.fresh_copy import FreshCopy
from tests.services import require

UNIT = ROOT / "deploy/service.service"


def test_every_command_of_the_unit_exists(tmp_path):
    copy = FreshCopy(tmp_path)
    for kind in ("ExecStartPre", "ExecStart", "ExecReload"):
        commands = lines_of(kind)
        assert commands
        for command in commands:
            assert (copy.place / command.split()[0].removeprefix("/srv/service/")).exists()
    assert lines_of("ExecStart") == ["/srv/service/.venv/bin/gunicorn -c gunicorn.conf.py wsgi:app"]
    assert lines_of("ExecReload")[-1].endswith(f"$MAINPID {lines_of('ExecStart')[0]}")


def test_the_files_of_the_unit_are_private_and_its_limit_of_open_files_suffices():
    assert lines_of("UMask") == ["0077"]
    assert int(lines_of("LimitNOFILE")[0]) >= 65_536


def test_journald_takes_the_lines_of_a_busy_service():
    """Two workers at their most log several thousand lines a second, for 30 seconds."""
    assert int(lines_of("LogRateLimitBurst")[0]) >= 30 * 10_000


def test_the_unit_allows_what_gunicorn_needs_for_the_file_of_a_socket():
    """It calls chown, which is one of the calls in @privileged."""
    assert "@privileged" in lines_of("SystemCallFilter")[1]
    assert "@chown" in lines_of("SystemCallFilter")[2].split()


def test_the_exposure_of_the_unit_is_below_three():
    require(shutil.which("systemd-analyze"), "systemd-analyze (systemd)")
    command = ["systemd-analyze", "security", "--offline=yes", "--no-pager", str(UNIT)]
    result = subprocess.run(command, capture_output=True, text=True)
    match = re.search(r"Overall exposure level for service\.service: ([\d.]+)", result.stdout)
    assert match, result.stderr
    assert float(match[1]) < 3


def test_the_steps_of_the_page_lead_to_what_the_unit_expects():
    """The commands have shell's form, and name the unit's user, tree, settings and directory."""
    page = (ROOT / "docs/deployment.md").read_text()
    section = page.split("### A server, step by step")[1].split("\n###")[0]
    blocks = [textwrap.dedent(one) for one in re.findall(r"```bash\n(.*?)```", section, re.S)]
    script = "\n".join(blocks)
    assert len(blocks) == 7
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
    [user], [tree], [settings] = map(lines_of, ("User", "WorkingDirectory", "EnvironmentFile"))
    assert f"useradd --system --user-group --home-dir {tree} " in script
    assert f"install -d -o {user} -g {user} -m 700 instance" in script
    # Whatever owner and modes the release came with, and however strict root's umask is.
    readable = [script.index(one) for one in ("umask 022", "chmod -R go=rX .", "python3 -m venv")]
    assert readable == sorted(readable)
    assert f"install -m 600 /dev/null {settings}" in script
    webroot = ("mkdir -p /var/www/acme\n", "certbot certonly --webroot -w /var/www/acme ")
    assert script.index(webroot[0]) < script.index(webroot[1])
    assert lines_of("ReadWritePaths") == [f"-{tree}/instance"]
    assert f". {settings}; set +a\ncd {tree} && exec runuser -u {user} --" in script


def test_the_next_release_installs_its_files_and_spares_modules_of_the_app():
    """What the server page has installed outside of the tree, and what others have put into it."""
    page = (ROOT / "docs/deployment.md").read_text()
    first, later = (
        "".join(
            re.findall(
                r"```bash\n(.*?)```", page.split(f"### {title}\n")[1].split("\n###")[0], re.S
            )
        )
        for title in ("A server, step by step", "The next release")
    )
    assert subprocess.run(["bash", "-n"], input=later, text=True, check=False).returncode == 0
    installed = re.findall(
        r"^ *((?:cp|sed) .*\bdeploy/.*|systemctl daemon-reload|nginx -t .*)", first, re.M
    )
    assert len(installed) == 4
    assert [command for command in installed if command not in later] == []
    guide = (ROOT / "docs/extending.md").read_text()
    [folder] = re.findall(r"\bsave this as `(\w+)/\w+\.py` in the source tree", guide, re.M)
    assert f"--exclude=/{folder} " in later
    assert "--chown=root:root --chmod=go=rX" in later.split("umask 022")[1]
    # After a backup in the same shell, `git pull` would write files that only root may read.
    assert re.findall(r"^ *umask 077", page, re.M) == []
