"""An answer of another shape is the vendor's failure; a mistake of ours is ours, and is logged."""

from dataclasses import replace

import pytest

from service.integrations.declare.catalog import Catalog
from tests.services import on_sqlite


@on_sqlite
@pytest.mark.parametrize("mistake", [KeyError, TypeError, AttributeError, ValueError, IndexError])
def test_a_mistake_of_ours_is_a_500_with_its_place_in_the_log(
    app, alice, ask, vendor, capsys, mistake
):
    def before(call, values):
        raise mistake("ours")

    proxy = app.extensions["proxy"]
    proxy.catalog = Catalog(replace(item, before=before) for item in proxy.catalog)
    answer = ask("geocode-city", {"city": "Berlin"})
    assert (answer.status_code, answer.json["error"]) == (500, "internal_error")
    logged = "".join(capsys.readouterr())
    assert "test_mistakes.py" in logged
    assert "as documented" not in answer.text


@on_sqlite
def test_the_log_tells_where_another_shape_was_met_and_not_what_it_was(ask, vendor, capsys):
    vendor.says({"results": [{"name": "secret"}]})
    answer = ask("geocode-city", {"city": "Berlin"})
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")
    logged = "".join(capsys.readouterr())
    assert '"upstream": "open-meteo"' in logged
    assert '"of": "latitude"' in logged
    assert "secret" not in logged
