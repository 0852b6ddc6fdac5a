"""The dialog that asks the user: its words, its keys, and who it protects from what."""

from playwright.sync_api import expect


def test_the_focus_is_on_deny_and_a_key_that_comes_too_soon_decides_nothing(own_canvas):
    canvas = own_canvas
    first = canvas.mount("a")
    canvas.page.clock.install(time=0)
    canvas.page.clock.pause_at(1000)
    first.ask("search-web")
    deny = canvas.dialog.get_by_role("button", name="Deny")
    expect(deny).to_be_focused()
    expect(deny).to_have_attribute("aria-disabled", "true")
    canvas.page.keyboard.press("Enter")
    canvas.dialog.get_by_role("button", name="Allow once").dispatch_event("click")
    expect(canvas.dialog).to_be_visible()
    assert canvas.calls == []
    canvas.page.clock.run_for(500)
    canvas.page.keyboard.press("Enter")
    expect(canvas.dialog).to_have_count(0)
    assert first.answer()["envelope"]["error"] == "approval_denied"


def test_escape_denies_and_the_focus_goes_back(canvas):
    first = canvas.mount("a")
    canvas.page.locator("#opener").focus()
    first.ask("search-web")
    expect(canvas.dialog).to_be_visible()
    canvas.page.keyboard.press("Escape")
    assert first.answer()["envelope"]["error"] == "approval_denied"
    expect(canvas.page.locator("#opener")).to_be_focused()


def test_a_screen_reader_hears_who_asks_and_what_it_costs(canvas):
    canvas.mount("a").ask("search-web", body={"q": "x"})
    expect(canvas.dialog).to_have_accessible_name("Allow “Search the web”?")
    said = "The widget “Widget a” wants to call search-web. It costs you 2 credits."
    expect(canvas.dialog).to_have_accessible_description(f"{said} You have 120 credits.")


def test_the_arguments_are_shown_as_they_are_sent(canvas):
    canvas.mount("a").ask("cloudsuite/mail-send", body={"to": "ada\u202e@suite.invalid"})
    expect(canvas.dialog).to_contain_text("It costs no credits.")
    shown = canvas.dialog.get_by_label("Arguments")
    expect(shown).to_be_visible()
    expect(shown).to_contain_text('"to": "ada\\u202e@suite.invalid"')
    canvas.press("Allow once")


DEEP = """() => {
  let values = Array(20_000).fill(0);
  for (let n = 0; n < 95; n += 1) values = [values];
  const call = { type: 'widget-api-request', requestId: 'r', method: 'POST' };
  page.tell({ ...call, endpoint: 'search-web', body: { values } });
}"""


def test_long_arguments_are_shown_without_indents(canvas):
    """Laying out two hundred blanks before each value took half a minute."""
    canvas.mount("a").run(DEEP)
    shown = canvas.dialog.get_by_label("Arguments")
    assert shown.evaluate("(pre) => pre.textContent.length") < 50_000
    canvas.press("Deny")


def test_equal_calls_wait_for_one_answer_whose_cost_is_theirs(canvas):
    first = canvas.mount("a")
    first.ask("search-web", "r1")
    expect(canvas.dialog).to_be_visible()
    first.ask("search-web", "r2")
    expect(canvas.dialog).to_contain_text(
        "2 equal calls wait for this answer. It costs you 4 credits"
    )
    expect(canvas.dialog).to_have_count(1)
    canvas.press("Allow once")
    expect(canvas.dialog).to_have_count(0)
    first.answer()
    assert {call.approval for call in canvas.calls} == {"once"}


def test_axe_finds_nothing_in_light_and_dark(canvas):
    canvas.mount("a").ask("search-web", body={"q": "x"})
    expect(canvas.dialog.get_by_role("button", name="Deny")).to_have_attribute(
        "aria-disabled", "false"
    )
    assert canvas.violations() == []


def test_axe_finds_nothing_beside_a_notice(canvas):
    first = canvas.mount("a", "mute")
    expect(first.notice).to_be_visible()
    assert canvas.violations() == []
