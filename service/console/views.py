"""The page at `/`."""

from flask import Blueprint, Response, send_from_directory

console = Blueprint("console", __name__)


@console.get("/")
def index() -> Response:
    """What runs here, for people who open it in a browser"""
    return send_from_directory(console.root_path, "index.html")
