"""The code that the explorer shows: what it sends when it is run."""

import base64
import json
import os
import shutil
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from config import ROOT
from tests.services import require

CONTENT = bytes(range(256)) * 4096  # 1 MiB: more than an argument of a command may have
NAME = "it's a plan.bin"
BODY = {
    "name": 'Ünï "quoted" it\'s $HOME `id`',
    "file": f"<{NAME}, 1048576 bytes, 0123456789abcdef>",
    "list": ["<-b.txt, 2 bytes, 0123456789abcdef>", "x"],
    "no": None,
}
SENT = {
    **BODY,
    "file": base64.b64encode(CONTENT).decode(),
    "list": [base64.b64encode(b"b\n").decode(), "x"],
}
WRITE = """
import {{ {language} }} from './service/browser/integrations/snippets.js';
console.log({language}(JSON.parse(process.argv[1])));
"""


@pytest.fixture
def received():
    """A server that takes one call, and the bodies that came."""
    bodies = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            length = int(self.headers["Content-Length"])
            bodies.append((self.headers["Authorization"], json.loads(self.rfile.read(length))))
            answer = b'{"success": true, "data": {}}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *args):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/x", bodies
        server.shutdown()
        thread.join()


def write(language, url, folder):
    """The code for a call. Node before 20.19 takes a `.js` file for CommonJS without a package."""
    node = shutil.which("node")
    require(node, "Node.js (nodejs)")
    browser = folder / "modules/service/browser/integrations"
    browser.mkdir(parents=True)
    (folder / "modules/package.json").write_text('{"type": "module"}')
    for name in ("snippets.js", "file-text.js"):
        shutil.copy(ROOT / "service/browser/integrations" / name, browser)
    call = json.dumps({"url": url, "body": BODY})
    command = [node, "--input-type=module", "--eval", WRITE.format(language=language), call]
    return subprocess.run(
        command, cwd=folder / "modules", capture_output=True, text=True, check=True, timeout=60
    ).stdout


@pytest.mark.parametrize("language", ["curl", "javascript", "python"])
def test_the_code_sends_the_content_of_a_chosen_file(language, received, tmp_path):
    url, bodies = received
    (tmp_path / NAME).write_bytes(CONTENT)
    (tmp_path / "-b.txt").write_bytes(b"b\n")
    code = write(language, url, tmp_path)
    assert len(code) < 1000
    if language == "curl":
        require(shutil.which("curl"), "curl")
        command = ["sh", "-euc", code]
    elif language == "javascript":
        command = ["node", "--input-type=module", "--eval", f"const TOKEN = 't';\n{code}"]
    else:
        command = [sys.executable, "-c", f"TOKEN = 't'\n{code}"]
    subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "TOKEN": "t"}, check=True, timeout=60,
        capture_output=True,
    )  # fmt: skip
    assert bodies == [("Bearer t", SENT)]
