"""One page of rules for any host passes on the real one and on the developers' one."""

import pytest
from playwright.sync_api import expect

RULES = 9


def mount_on_the_real_host(canvas):
    canvas.mount("a", "conformance")


def mount_on_the_developers_host(canvas):
    canvas.run("() => { canvas.host.close(); canvas.makeMock('conformance'); }")


@pytest.mark.parametrize("mount", [mount_on_the_real_host, mount_on_the_developers_host])
def test_every_rule_of_the_conformance_widget_passes(canvas, mount):
    mount(canvas)
    page = canvas.page.frame_locator("iframe")
    expect(page.locator("body[data-done]")).to_be_attached()
    lines = page.get_by_role("listitem").all_inner_texts()
    assert len(lines) == RULES
    assert [line for line in lines if not line.startswith("PASS")] == []


def test_a_host_that_does_not_answer_fails_the_rules(canvas):
    canvas.run("() => canvas.host.close()")
    canvas.run(
        "() => { const frame = document.createElement('iframe'); frame.sandbox = 'allow-scripts';"
        " frame.src = '/w/conformance#wn=n'; document.body.append(frame); }"
    )
    page = canvas.page.frame_locator("iframe")
    first = page.get_by_role("listitem").first
    expect(first).to_have_text("FAIL: the canvas is described by five texts of each widget")
