"""The endpoints of docs/vendors.md, as a reader copies them into an extension."""

import re
import sys
from types import ModuleType

import pytest

from config import ROOT
from service.integrations.reference import check
from tests.integrations.office_suite import connect
from tests.services import on_sqlite

PAGE = (ROOT / "docs/vendors.md").read_text()
NAME = "documented_vendor"


@pytest.fixture(scope="module", autouse=True)
def documented():
    module = ModuleType(NAME)
    exec("".join(re.findall(r"```python\n(.*?)```", PAGE, re.S)), vars(module))
    sys.modules[NAME] = module
    yield module
    del sys.modules[NAME]


@on_sqlite
@pytest.mark.settings(extensions=NAME)
def test_the_function_of_the_document_is_answered_by_its_examples(alice):
    for ids, weight in ((["a-1", "a-2"], 8), (["a-7", "a-2"], 8), (["a-7", "a-8"], 0)):
        answer = alice.post("/api/integrations/anvils-difference", {"ids": ids})
        assert answer.json == {"success": True, "data": {"kg": weight}}


@on_sqlite
@pytest.mark.settings(extensions=NAME)
def test_the_scope_of_the_document_is_asked_for_and_opens_its_endpoint(alice):
    body = {"anvil": "a-1", "count": 2}
    asked = alice.post("/api/integrations/yard-order", body).json["data"]
    assert (asked["provider"], asked["scopes"]) == ("yard", ["orders.write"])
    connect(alice, "yard-order", "yard-ada")
    flags = {"connected": True, "orders": True, "ordering": True}
    status = alice.get("/api/integrations/status").json["yard"]
    assert {**status, **flags} == status
    ordered = alice.post("/api/integrations/yard-order", body).json["data"]
    assert ordered == {"id": "o-1", "total": 2}
    assert alice.get("/api/credits").json["balance"] == 998


@on_sqlite
@pytest.mark.settings(extensions=NAME)
def test_the_slow_endpoint_of_the_document_ends_and_charges_what_is_reported(alice):
    answer = alice.post("/api/integrations/anvils-draw", {"anvil": "a-1"}).json["data"]
    assert (answer["status"], answer["result"]) == ("done", {"url": "https://acme.example/d-1.png"})
    assert alice.get("/api/credits").json["balance"] == 998


def test_the_endpoints_of_the_document_lack_nothing(documented):
    assert [list(check.endpoint_faults(one)) for one in documented.ENDPOINTS] == [[], [], [], []]
