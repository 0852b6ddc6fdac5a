"""The files that browsers load, at `/browser/<folder>/<name>`.

Source: docs/contract.md, section 12.
"""

from flask import Blueprint, Response

from service.browser import files
from service.browser.responses import file_response
from service.web.edge import answers
from service.web.errors import NotFound

browser = Blueprint("browser", __name__)

FOR_WIDGETS = ("shared", "widgets")


@browser.get("/browser/<folder>/<name>")
@answers(None, media_type=tuple(files.MEDIA_TYPES.values()), others={304: {}})
def file(folder: str, name: str) -> Response:
    """A module or a style sheet, for pages"""
    path = files.find(folder, name)
    if path is None:
        raise NotFound()
    return file_response(path, any_origin=folder in FOR_WIDGETS)
