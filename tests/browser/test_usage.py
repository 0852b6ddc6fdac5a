"""Usage: what was spent, calls as they end, the assistant's changes, the statement."""

import re

from playwright.sync_api import expect


def part(console, name: str):
    link = console.page.get_by_role("navigation", name="Usage").get_by_role("link", name=name)
    link.click()
    expect(link).to_have_attribute("aria-current", "page")


def call(console, endpoint: str, body: dict, **headers: str) -> dict:
    """A call as another program makes it, also one that is refused."""
    url = f"{console.service.url}/api/integrations/{endpoint}"
    headers |= {"Authorization": f"Bearer {console.token}"}
    # The server may close a connection that is kept from before, just when it is used again.
    return console.page.request.post(url, data=body, headers=headers, max_retries=3).json()


def test_what_was_spent_is_seen_as_a_plot_as_a_table_and_in_the_statement(opened):
    console = opened(viewport={"width": 320, "height": 640}).sign_in()
    call(console, "upscale-image", {"image": "https://example.com/a.jpg", "wait": 0})
    console.open("/#/usage")
    page = console.page
    day, button = page.get_by_role("slider", name="Day"), console.button("Show as table")
    title = page.get_by_role("heading", name="Spend per day")
    expect(day).to_have_attribute("aria-valuetext", re.compile("11.5 credits, 1 call"))
    line, beside = title.bounding_box(), button.bounding_box()
    assert line
    assert beside
    assert beside["y"] < line["y"] + line["height"], "the words about the day are between them"
    day.press("ArrowLeft")
    expect(page.locator(".plot-value")).to_have_text(re.compile(": 0 credits, no calls"))
    expect(page.get_by_role("link", name="upscale-image")).to_be_visible()
    assert console.width() <= 320, "overview"
    assert console.violations() == [], "overview"
    console.button("7 days").click()
    console.button("Show as table").click()
    expect(console.table("Spend per day").get_by_role("row")).to_have_count(8)
    assert console.violations() == [], "as a table"
    part(console, "Statement")
    expect(console.table("Entries of your account")).to_contain_text("−11.5")
    with page.expect_download() as saved:
        console.button("Export CSV").click()
    lines = saved.value.path().read_text().splitlines()
    assert (len(lines), ",charge,upscale-image,-11.5," in lines[1]) == (3, True)
    assert (console.width() <= 320, console.violations()) == (True, []), "statement"


def test_the_balance_that_a_page_reads_is_in_the_header_without_another_request(console):
    page = console.page
    expect(page.locator(".credits .amount")).to_have_text("1,000")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    call(console, "upscale-image", {"image": "https://example.com/a.jpg", "wait": 0})
    console.open("/#/usage")
    expect(page.locator(".tile", has_text="Balance")).to_contain_text("988.5")
    expect(page.locator(".credits .amount")).to_have_text("988.5")
    assert len([url for url in asked if "/api/credits?" in url]) == 1
    asked.clear()
    page.reload()
    expect(page.locator(".tile", has_text="Balance")).to_contain_text("988.5")
    expect(page.locator(".credits .amount")).to_have_text("988.5")
    assert len([url for url in asked if "/api/credits?" in url]) == 1, "in a page that begins there"
    asked.clear()
    console.open("/#/usage/calls")
    page.reload()
    expect(page.locator(".credits .amount")).to_have_text("988.5")
    assert len([url for url in asked if "/api/credits?" in url]) == 1, "for the header alone"


def test_calls_are_followed_as_they_end_and_a_failed_one_says_why(console):
    console.open("/#/usage/calls")
    page = console.page
    rows = page.get_by_role("list", name="Calls").get_by_role("listitem")
    expect(page.get_by_text("No endpoint was called")).to_be_visible()
    call(console, "current-weather", {"city": "Berlin"}, **{"X-Door": "widget"})
    expect(rows).to_have_text(re.compile("current-weather.*Succeeded.*Free.*Widget"))
    call(console, "current-weather", {"city": ""})
    expect(rows).to_have_count(2)
    call(console, "upscale-image", {"image": "https://example.com/a.jpg", "wait": 0})
    expect(rows.first).to_contain_text("Running")
    assert console.violations() == [], "calls"
    console.button("Failed").click()
    expect(rows).to_have_text(re.compile("Refused.*the parameters were not valid"))
    expect(page.locator("#announcer")).to_have_text("1 call")
    console.button("Running").click()
    expect(rows).to_have_count(1)
    console.button("Check the job of upscale-image").click()
    expect(rows).to_have_count(0)
    console.button("All").click()
    expect(rows.first).to_have_text(re.compile("upscale-image.*Succeeded.*11.5 credits"))
    rows.first.get_by_role("link").click()
    expect(page.get_by_role("heading", name="upscale-image")).to_be_visible()


def test_a_change_is_told_and_undone_with_what_stands_in_its_way(console):
    console.ask("add two tasks: buy milk, sell milk")
    console.ask("mark buy milk as done")
    console.open("/#/usage/changes")
    newest, oldest = (console.page.locator(".change-groups article").nth(n) for n in (0, 1))
    expect(newest).to_contain_text("Changed the task “buy milk”done: empty → yes")
    expect(oldest).to_contain_text("Created the task “sell milk”")
    oldest.get_by_role("button", name="Undo").click()
    console.button("Undo changes").click()
    expect(oldest).to_contain_text("Undone: 1 task.Left as before:")
    expect(oldest.locator(".change-result")).to_contain_text("Created the task “buy milk”.")
    newest.get_by_role("button", name="Undo").click()
    console.button("Undo changes").click()
    expect(newest.get_by_text("Undone", exact=True)).to_be_visible()
    assert console.violations() == [], "changes"
    tasks = console.api("GET", "records/tasks")["records"]
    assert [(task["data"]["title"], task["data"].get("done")) for task in tasks] == [
        ("buy milk", None)
    ]


def test_the_numbers_stay_while_the_server_is_away(console):
    console.open("/#/usage")
    balance = console.page.locator(".tile").first
    expect(balance).to_contain_text("1,000")
    console.may_say("ERR_FAILED|503")
    console.page.route("**/api/credits/spend*", lambda route: route.abort())
    console.button("90 days").click()
    expect(console.page.locator(".usage-problem")).to_contain_text("The numbers are those of")
    expect(balance).to_contain_text("1,000")


def test_a_part_that_can_not_be_read_says_so_alone_and_offers_to_try_again(console):
    console.may_say("503")
    down = {"success": False, "error": "unavailable", "message": "Not now."}
    pages = re.compile("/api/(credits|ai/journal|records/integration-calls)")
    console.page.route(pages, lambda route: route.fulfill(status=503, json=down))
    console.open("/#/usage")
    again = console.page.locator("main").get_by_role("button", name="Try again")
    alert = console.page.locator(".usage-problem")
    for name in ("Overview", "Calls", "Changes", "Statement"):
        part(console, name)
        expect(alert).to_contain_text("Not now.")
        expect(again).to_be_visible()
        empty = console.page.get_by_text(re.compile("Nothing was spent|Loading…"))
        expect(empty.filter(visible=True)).to_have_count(0)
    assert console.violations() == []
    console.page.unroute(pages)
    again.click()
    expect(alert).to_be_hidden()
    expect(console.table("Entries of your account")).to_contain_text("Starting credits")


COLOURS = "(all) => new Set(all.map((each) => getComputedStyle(each).borderBottomColor)).size"


def test_shares_are_bars_that_begin_at_one_place_also_in_colours_of_the_users_own(console):
    console.ask("hello")
    call(console, "upscale-image", {"image": "https://example.com/a.jpg", "wait": 0})
    console.open("/#/usage")
    rows = console.table("Spend per model and endpoint").locator("tbody tr")
    expect(rows).to_have_text([re.compile("99 %$"), re.compile("under 1 %$")])
    bars = [bar.bounding_box() for bar in console.page.locator(".share-bar").all()]
    assert len({bar["x"] for bar in bars if bar}) == 1
    console.page.emulate_media(forced_colors="active")
    fill = console.page.locator(".share-fill").first
    colours = "(node) => [node, node.parentElement].map((n) => getComputedStyle(n).backgroundColor)"
    inside, around = fill.evaluate(colours)
    assert inside != around
    assert console.page.locator(".tabs a").evaluate_all(COLOURS) == 2
    dot = "(node) => getComputedStyle(node, '::before').backgroundColor"
    assert console.page.locator(".live").evaluate(dot) == inside


def test_an_undo_in_the_list_of_changes_is_confirmed_first_and_says_what_it_is_about(console):
    console.ask("add two tasks: buy milk, sell milk")
    console.open("/#/usage/changes")
    requests = []
    console.page.on("request", lambda request: requests.append(request.url))
    undo = console.page.get_by_role("button", name="Undo the changes of")
    undo.click()
    dialog = console.page.get_by_role("dialog", name="Undo these changes?")
    expect(dialog).to_contain_text("The assistant has created 2 tasks.")
    console.button("Cancel").click()
    expect(dialog).to_have_count(0)
    assert [url for url in requests if url.endswith("/undo")] == []
    expect(undo).to_be_focused()
    undo.click()
    console.button("Undo changes").click()
    expect(console.page.locator(".change-result")).to_have_text("Undone: 2 tasks.")


def test_the_names_of_days_stay_below_the_plot(opened):
    console = opened(viewport={"width": 390, "height": 844}).sign_in()
    console.open("/#/usage")
    plot = console.page.locator(".plot-area").bounding_box()
    last = console.page.locator(".plot-labels span").last.bounding_box()
    assert plot
    assert last
    assert last["x"] + last["width"] <= plot["x"] + plot["width"]
