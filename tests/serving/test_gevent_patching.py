"""What the service does instead of calling gevent's `patch_all` itself."""

import os
import subprocess
import sys

from config import ROOT

PATCHED = """
from importlib import metadata
before, read = metadata.entry_points, []
scan = metadata.distributions
metadata.distributions = lambda **given: read.append(given) or scan(**given)
from serving.gevent_patching import patch_all
patch_all()
import socket
print(socket.socket.__module__, len(read), metadata.entry_points is before)
"""
PLUGIN = "def told(event):\n    print(type(event).__name__)\n"
ENTRY_POINTS = "[gevent.plugins.monkey.did_patch_all]\nname = told_of_patches:told\n"


def test_the_metadata_of_packages_are_read_once_and_plugins_are_told(tmp_path):
    (tmp_path / "told_of_patches.py").write_text(PLUGIN)
    package = tmp_path / "told_of_patches-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: told-of-patches\nVersion: 1\n")
    (package / "entry_points.txt").write_text(ENTRY_POINTS)
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{tmp_path}"}
    done = subprocess.run(
        [sys.executable, "-c", PATCHED], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["GeventDidPatchAllEvent", "gevent._socket3", "1", "True"]
