"""What the styles say for browsers that the tests do not run."""

import re

import pytest

from service.browser.files import ROOT
from service.widgets.templates import BUILT_IN

STYLES = [*ROOT.rglob("*.css"), *BUILT_IN.rglob("*.css")]


@pytest.fixture(params=STYLES, ids=lambda path: path.name)
def style(request):
    return request.param.read_text()


def test_safari_gets_its_own_name_of_user_select(style):
    own = re.findall(r"-webkit-user-select: (\w+)", style)
    assert own == re.findall(r"(?<!-webkit-)user-select: (\w+)", style)


def test_nothing_is_left_out_of_the_layout_without_scroll_anchoring(style):
    anchored = re.sub(r"@supports \(overflow-anchor: auto\) \{(.*?)\n\}", "", style, flags=re.S)
    assert "content-visibility" not in anchored


def test_lines_grow_with_their_text(style):
    """Browsers can enlarge the text alone: in a line of fixed height it would be cut off."""
    assert re.findall(r"line-height: [\d.]+px", style) == []


@pytest.mark.parametrize(
    "path", [one for one in STYLES if one.name != "canvas.css"], ids=lambda path: path.name
)
def test_text_has_the_size_that_people_set_in_their_browser(path):
    """The slots of a canvas have fixed places in pixels; a canvas can be zoomed."""
    assert re.findall(r"font(?:-size)?: [\d.]+px", path.read_text()) == []
