"""Folders of templates."""

import json

import pytest

from service.widgets.templates import WIDGET_TEMPLATES, WidgetTemplates
from tests.widgets.manifests import MANIFEST


@pytest.fixture
def folder(tmp_path):
    """Makes the folder of a template with a manifest, given as an object or a text."""

    def make(manifest, name="map"):
        place = tmp_path / name
        place.mkdir(exist_ok=True)
        text = manifest if isinstance(manifest, str) else json.dumps({**MANIFEST, **manifest})
        (place / "manifest.json").write_text(text, encoding="utf-8")
        (place / "widget.js").write_text("export {};\n")
        return place

    return make


@pytest.fixture
def given(app, folder):
    """Makes a template with these values in its manifest the only one of the app."""

    def use(**values):
        WIDGET_TEMPLATES.set(app, WidgetTemplates([folder(values)]))

    return use
