"""The JSON Schema of the messages, on the samples that the parsers are checked on."""

import json

import jsonschema_rs
import pytest

from config import ROOT
from service.integrations.everything import catalog

SCHEMA = json.loads((ROOT / "service/browser/widgets/messages.schema.json").read_text())
SAMPLES = json.loads((ROOT / "tests/widgets/messages.samples.json").read_text())
CHANNELS = sorted(SAMPLES)


def is_valid(channel, data):
    return jsonschema_rs.is_valid({**SCHEMA, "$ref": f"#/$defs/{channel}"}, data)


@pytest.mark.parametrize("channel", CHANNELS)
def test_every_kept_sample_is_valid(channel):
    assert not [data for data in SAMPLES[channel]["kept"] if not is_valid(channel, data)]


@pytest.mark.parametrize("channel", CHANNELS)
def test_every_dropped_sample_is_invalid(channel):
    dropped = [each["data"] for each in SAMPLES[channel]["dropped"]]
    assert dropped
    assert not [data for data in dropped if is_valid(channel, data)]


def test_every_endpoint_can_be_called_by_its_name():
    request = {"type": "widget-api-request", "requestId": "r", "method": "POST"}
    names = catalog().names
    assert len(names) > 100
    called = {name: is_valid("widgetPort", request | {"endpoint": name}) for name in names}
    assert not [name for name, valid in called.items() if not valid]
