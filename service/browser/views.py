"""The files that browsers load, at `/browser/<folder>/<name>`, or below a version of all files.

Source: docs/contract.md, section 12.
"""

from pathlib import Path

from flask import Blueprint, Response

from service.browser import files, versions
from service.browser.responses import file_response, missing_file
from service.web.edge import answers

browser = Blueprint("browser", __name__)

FOR_WIDGETS = ("shared", "widgets")
CACHE_FOR_A_YEAR = "max-age=31536000, immutable"  # even if the page is reloaded


_answers_with_file = answers(None, media_type=tuple(files.MEDIA_TYPES.values()), others={304: {}})


@browser.get("/browser/<folder>/<name>")
@_answers_with_file
def file(folder: str, name: str) -> Response:
    """Return a module or a style sheet, for pages"""
    return file_response(_find(folder, name), any_origin=folder in FOR_WIDGETS)


@browser.get("/browser/<version>/<folder>/<name>")
@_answers_with_file
def versioned_file(version: str, folder: str, name: str) -> Response:
    """Return the same file below a version, for the console: browsers keep it"""
    path = _find(folder, name)
    response = file_response(path, any_origin=folder in FOR_WIDGETS)
    if versions.is_of(version, path):  # false in a tab that is older than this release
        response.headers["Cache-Control"] = CACHE_FOR_A_YEAR
    return response


def _find(folder: str, name: str) -> Path:
    path = files.find(folder, name)
    if path is None:
        raise missing_file()
    return path
