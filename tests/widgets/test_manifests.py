"""A template is a folder: its manifest is read when the app starts, and a wrong one stops it."""

import json
import re
import shutil
import sys
from types import SimpleNamespace

import pytest

from config import ConfigError
from service import create_app
from service.integrations.everything import catalog
from service.widgets.manifest import read
from service.widgets.templates import BUILT_IN, WidgetTemplates, built_in
from tests.services import ENVIRONMENT, load, on_sqlite
from tests.widgets.manifests import MANIFEST, SLOT


def test_the_name_of_the_folder_is_the_handle_and_omitted_keys_have_defaults(folder):
    template = read(folder({}))
    assert (template.handle, template.name, template.version) == ("map", "Map", 1)
    assert (template.size, template.standalone, template.endpoints) == ((320, 240), True, ())
    [slot] = template.slots
    assert (slot.id, slot.direction, slot.type, slot.max_connections) == (
        "place",
        "output",
        "object",
        None,
    )


def test_an_apps_endpoints_and_collections_may_have_all_names_that_can_be_declared(folder):
    names = {"endpoints": ["library_search", "Shelf.v2/books"], "collections": ["reading_list"]}
    template = read(folder(names))
    assert template.endpoints == ("library_search", "Shelf.v2/books")
    assert template.collections == ("reading_list",)


SETTING = {"type": "string", "title": "A", "default": ""}
WRONG = {
    "slots.0.type: Must be one of": {"slots": [{**SLOT, "type": "date"}]},
    "slots.0.direction: Must be one of": {"slots": [{**SLOT, "direction": "both"}]},
    "slots.0.id: Must be letters": {"slots": [{**SLOT, "id": "a b"}]},
    "slots.0.maxConnections: Must be": {"slots": [{**SLOT, "maxConnections": 65}]},
    "slots.0.colour: Unknown field": {"slots": [{**SLOT, "colour": "red"}]},
    "slots: must not repeat an id": {"slots": [SLOT, SLOT]},
    "slots.0.persist: is for outputs": {"slots": [{**SLOT, "direction": "input", "persist": True}]},
    "endpoints.0: Must be the name": {"endpoints": ["https://evil.example"]},
    "endpoints.0: Must be the name of": {"endpoints": ["shelf/../status"]},
    "collections.0: Must be the name": {"collections": ["notes/1"]},
    "endpoints: Must not repeat": {"endpoints": ["current-weather", "current-weather"]},
    "images.0: Must be an https source": {"images": ["https://a.example; script-src *"]},
    "images.0: Must be an https": {"images": ["http://a.example"]},
    "permissions.0: Must be one of": {"permissions": ["usb"]},
    "standalone: Not a valid boolean": {"standalone": "yes"},
    "slots.0.schema.type: Must be one of": {"slots": [{**SLOT, "schema": {"type": "text"}}]},
    "slots.0.schema.type: no value has this type and the slot's, string": {
        "slots": [{**SLOT, "type": "string", "schema": {"type": "object"}}]
    },
    "slots.0.schema.required: Not a valid list": {"slots": [{**SLOT, "schema": {"required": "a"}}]},
    "slots.0.schema.properties.a: Invalid": {
        "slots": [{**SLOT, "schema": {"properties": {"a": 1}}}]
    },
    "slots.0.schema.properties.a.type: Must": {
        "slots": [{**SLOT, "schema": {"properties": {"a": {"type": []}}}}]
    },
    "slots.0.schema.items: Invalid": {"slots": [{**SLOT, "schema": {"items": ["string"]}}]},
    "slots.0.schema.enum: Shorter": {"slots": [{**SLOT, "schema": {"enum": []}}]},
    "slots.0.persist: Not a valid boolean": {"slots": [{**SLOT, "persist": 1}]},
    "size.width: Must be": {"size": {"width": 1, "height": 100}},
    "version: Must be": {"version": 0},
    "settings.a.type: Must be one of": {"settings": {"a": {**SETTING, "type": "date"}}},
    "settings.a.default: Must be of type string": {"settings": {"a": {**SETTING, "default": 1}}},
    "settings.a.default: Must be one of: x": {"settings": {"a": {**SETTING, "enum": ["x"]}}},
    "settings.a.pattern: Unknown field": {"settings": {"a": {**SETTING, "pattern": "x"}}},
    "name: Missing data": {"name": None},
    "icon: icon.svg is missing": {"icon": "icon.svg"},
    "icon: must have at most 8": {"icon": "a long text"},
    "icon: must have at most 8 characters, or be": {"icon": "icon.PNG"},
}


def test_a_schema_of_a_slot_is_kept_as_it_is(folder):
    inner = {"type": ["string", "null"], "maxLength": 9, "enum": ["a", None]}
    properties = {"a": inner, "b": True, "c": {"items": False}}
    schema = {"type": "object", "required": ["a"], "properties": properties, "title": "A"}
    slots = [{**SLOT, "schema": schema}]
    assert read(folder(json.dumps({**MANIFEST, "slots": slots}))).slots[0].schema == schema


@pytest.mark.parametrize("said", WRONG)
def test_a_wrong_value_is_refused_with_file_and_key(folder, said):
    values = {**MANIFEST, **WRONG[said]}
    if said.startswith("name"):
        del values["name"]
    place = folder(json.dumps(values))
    with pytest.raises(ValueError, match=rf"manifest\.json: .*{said}"):
        read(place)


def test_a_folder_that_is_no_template_is_refused(folder, tmp_path):
    wrong = r"manifest\.json: is not valid JSON \(Expecting property name .*: line 2 column 1"
    with pytest.raises(ValueError, match=wrong):
        read(folder("{\n"))
    with pytest.raises(ValueError, match=r"manifest\.json: manifest: Must be an object\."):
        read(folder("[]"))
    with pytest.raises(ValueError, match=r"manifest\.json: can't be read \(FileNotFoundError\)"):
        read(tmp_path / "nothing")
    with pytest.raises(ValueError, match="must be like my-widget"):
        read(folder({}, "My_Map"))
    place = folder({})
    (place / "widget.js").unlink()
    with pytest.raises(ValueError, match=r"widget\.js: is missing"):
        read(place)


def test_a_type_is_compared_with_the_schemas_where_both_name_one(folder):
    for kind, schema in (
        ("number", {"type": "integer"}),
        ("string", {"type": ["string", "null"]}),
        ("string", {"enum": ["a"]}),
        ("any", {"type": "object"}),
    ):
        place = folder(
            json.dumps({**MANIFEST, "slots": [{**SLOT, "type": kind, "schema": schema}]})
        )
        assert read(place).slots[0].schema == schema


def test_a_mark_of_the_byte_order_before_a_manifest_is_ignored(folder):
    assert read(folder("\ufeff" + json.dumps(MANIFEST))).name == "Map"


def test_every_built_in_template_has_a_sound_manifest():
    templates = WidgetTemplates(built_in())
    assert {name for one in templates for name in one.endpoints} <= set(catalog().names)
    handles = {template.handle for template in templates}
    assert handles == {path.parent.name for path in BUILT_IN.glob("*/manifest.json")}
    assert "note" in handles


@on_sqlite
def test_a_wrong_template_of_an_extension_stops_the_start(
    database_url, tmp_path, folder, monkeypatch
):
    ours = SimpleNamespace(TEMPLATES=[tmp_path / "note"])
    monkeypatch.setitem(sys.modules, "our_widgets", ours)
    environ = {**ENVIRONMENT, "DATABASE_URL": database_url, "EXTENSIONS": "our_widgets"}
    with pytest.raises(ConfigError, match=r"^EXTENSIONS: .*manifest\.json: can't be read"):
        create_app(load(environ))
    shutil.copytree(BUILT_IN / "note", tmp_path / "note")
    with pytest.raises(ConfigError, match="^EXTENSIONS: template note is declared twice"):
        create_app(load(environ))
    ours.TEMPLATES = [folder({"endpoints": ["calendar-events", "geocode-ciyt"]})]
    told = "endpoints.1: there is no endpoint geocode-ciyt: is geocode-city meant?"
    with pytest.raises(ConfigError, match=rf"^EXTENSIONS: .*/manifest\.json: {re.escape(told)}$"):
        create_app(load(environ))
