"""The page of admins, as an admin uses it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.page import UNENDING, Console


@pytest.fixture
def admin(opened) -> Console:
    return opened(role="admin").sign_in()


def show(console: Console, section: str) -> None:
    console.page.get_by_role("link", name="Admin", exact=True).click()
    console.page.get_by_role("navigation", name="Admin").get_by_role("link", name=section).click()
    expect(console.page.get_by_text("Updated")).to_be_visible()


def confirm(console: Console, action: str, told: str) -> None:
    dialog = console.page.get_by_role("dialog")
    expect(dialog).to_contain_text(told)
    dialog.get_by_role("button", name=action, exact=True).click()
    expect(dialog).to_have_count(0)


def test_an_admin_finds_a_user_grants_credits_and_disables(opened, admin):
    user = opened().sign_in()
    page, name = admin.page, user.subject
    user.api("POST", "records/notes", {"title": "one"})
    show(admin, "Users")
    page.get_by_label("Search users").fill(name)
    expect(admin.table("Users").get_by_role("row")).to_have_count(2)
    assert admin.violations() == [], "users"
    page.get_by_role("link", name=name, exact=True).click()
    expect(page.locator(".admin-facts")).to_contain_text("notes: 1")
    page.get_by_label("Credits", exact=True).fill("2.5")
    page.get_by_label("Note").fill("for the outage")
    admin.button("Grant").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert admin.violations() == [], "a user, with the dialog"
    confirm(admin, "Grant", f"{name} gets 2.5 credits")
    expect(admin.table("Newest entries")).to_contain_text("for the outage")
    assert user.api("GET", "credits")["balance"] == 1002.5
    admin.button("Disable user").click()
    confirm(admin, "Disable", "Nothing is deleted")
    expect(admin.button("Enable user")).to_be_visible()
    show(admin, "Audit")
    expect(admin.table("Audit")).to_contain_text(f"Disabled {name}")


def test_an_admin_stops_a_reply_and_looks_at_integrations_on_a_phone(opened):
    user = opened().sign_in()
    user.send(UNENDING)
    expect(user.answers).to_contain_text("1 2 3")
    admin = opened(role="admin", viewport={"width": 320, "height": 640}).sign_in()
    admin.page.goto(f"{admin.service.url}/#/admin/turns")
    row = admin.table("Running replies").get_by_role("row").filter(has_text=user.subject)
    expect(row).to_contain_text("llm-sonnet-4-6")
    assert (admin.width() <= 320, admin.violations()) == (True, [])
    row.get_by_role("button", name="Stop").click()
    confirm(admin, "Stop", "as if the user had stopped it")
    user.is_idle()
    expect(row).to_have_count(0)
    for section, text in (("Integrations", "Sandbox"), ("Errors", "Stopped"), ("Audit", "Stopped")):
        admin.page.goto(f"{admin.service.url}/#/admin/{section.lower()}")
        expect(admin.page.get_by_role("region", name=section)).to_contain_text(text)
        assert (admin.width() <= 320, admin.violations()) == (True, []), section


def test_the_overview_shows_what_runs_what_was_spent_and_what_fails(opened):
    user = opened().sign_in()
    user.send(UNENDING)
    expect(user.answers).to_contain_text("1 2 3")
    admin = opened(role="admin").sign_in()
    admin.page.goto(f"{admin.service.url}/#/admin")
    tiles = admin.page.get_by_role("region", name="Overview").locator(".admin-tile")
    expect(tiles.nth(0)).to_have_text(re.compile(r"Running replies\s*[1-9].*oldest"))
    expect(tiles.nth(1)).to_have_text(re.compile(r"Active today\s*\d+of \d+ users, \d+ new"))
    expect(tiles.nth(2)).to_have_text(
        re.compile(r"Credits today\s*[\d.,]+\d+ repl(y|ies), \d+ call")
    )
    expect(tiles.nth(3)).to_contain_text("Errors")
    assert (admin.width() <= 1280, admin.violations()) == (True, [])
    admin.page.set_viewport_size({"width": 390, "height": 800})
    admin.page.reload()  # so nothing of other pages is loaded
    expect(tiles.nth(3)).to_contain_text("Errors")
    assert admin.width() <= 390
    admin.page.get_by_role("link", name="All integrations").click()
    expect(admin.table("Integrations")).to_be_visible()


def test_the_tile_of_errors_counts_what_the_list_below_it_shows(opened, admin):
    user = opened().sign_in()
    user.may_say("5\\d\\d")
    user.send("/fail wrong-key tell me")
    expect(user.problem).not_to_be_empty()
    show(admin, "Overview")
    rows = admin.table("Errors").get_by_role("row")
    expect(rows.filter(has_text="Replies of")).to_contain_text("since the start of this host")
    counts = [int(one) for one in rows.locator("td.number").all_text_contents()]
    tile = admin.page.locator(".admin-tile").nth(3)
    expect(tile.locator(".admin-figure")).to_have_text(str(sum(counts)))
    expect(tile).to_contain_text("since the start of this host")


def test_the_page_is_for_admins_and_keeps_what_it_knew_in_an_outage(opened, admin):
    other = opened().sign_in()
    other.may_say("403")
    menu = other.page.get_by_role("navigation", name="Views")
    expect(menu.get_by_role("link", name="Explorer")).to_be_visible()
    expect(menu.get_by_role("link", name="Admin")).to_have_count(0)
    other.page.goto(f"{other.service.url}/#/admin")
    expect(other.page.get_by_role("alert")).to_contain_text("Only admins")
    show(admin, "Integrations")
    rows = admin.table("Integrations").get_by_role("row")
    expect(rows.nth(20)).to_be_visible()
    count = rows.count()
    admin.may_say("ERR_FAILED")
    admin.page.route("**/api/admin/**", lambda route: route.abort())
    admin.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(admin.page.get_by_text("The server can’t be reached")).to_be_visible()
    assert rows.count() == count


def test_nothing_can_be_done_about_a_user_that_does_not_exist(admin):
    admin.may_say("404")
    admin.page.goto(f"{admin.service.url}/#/admin/users/nope")
    region = admin.page.get_by_role("region", name="nope")
    expect(region).to_contain_text("There is no user nope.")
    expect(region.get_by_role("button")).to_have_count(0)
    assert admin.violations() == []
    region.get_by_role("link", name="All users").click()
    expect(admin.table("Users")).to_be_visible()


def test_the_focus_stays_in_a_row_whose_numbers_change_and_in_a_table_that_loses_the_row(admin):
    page, balance, left = admin.page, iter(range(1, 99)), []

    def answer(route):
        names = [name for name in ("ada", "bob") if name not in left]
        rest = {"email": None, "name": None, "role": None, "disabled": False, "held": 0}
        times = {"createdAt": "2026-01-01T00:00:00Z", "lastReplyAt": None}
        users = [{"subject": one, "balance": next(balance), **rest, **times} for one in names]
        route.fulfill(json={"users": users, "nextCursor": None})

    def read_again():
        with page.expect_response("**/api/admin/users?**"):
            page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")

    page.route("**/api/admin/users?**", answer)
    show(admin, "Users")
    table = admin.table("Users")
    table.get_by_role("link", name="bob").focus()
    before = table.get_by_role("row", name="bob").inner_text()
    read_again()
    expect(table.get_by_role("row", name="bob")).not_to_have_text(before, use_inner_text=True)
    expect(table.get_by_role("link", name="bob")).to_be_focused()
    left.append("bob")
    read_again()
    expect(table.get_by_role("link", name="bob")).to_have_count(0)
    expect(page.locator(".admin-table-box:focus")).to_have_count(1)
