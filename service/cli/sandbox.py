"""Start the stand-ins in the process of a command that calls upstreams."""

from flask import current_app


def start_sandbox() -> None:
    """Start the stand-ins of the current app, if it has the sandbox. They end with the process."""
    sandbox = current_app.extensions.get("sandbox")
    if sandbox and not sandbox.is_running:
        sandbox.start()
