"""Replies in Markdown: how smoothly they arrive, and their blocks of code."""

import json
from pathlib import Path

from playwright.sync_api import Browser, expect

ANSWER = Path(__file__).with_name("long_reply.js")
SHARE = (
    0.1  # of what a reply takes of the processor: a page that is busy for longer does not answer
)
PIECE = """## Part {n}

A paragraph with **bold** and *slanted* words, `code`, and [a link](https://example.org/{n}).

- one thing of a list
- another **thing** of it
  - and one below it

```js
function part(n) {{ // {n}
  return `the ${{n}}th of all parts`;
}}
```

| name | words | price |
|:-----|:-----:|------:|
| part | {n} words of it | {n}.00 |

"""
SHOWN = """repeat after me: ## Plan

**bold** [ok](https://example.com) [no](javascript:alert(1))

<img src=x onerror=alert(1)>

- [x] done
- [ ] open

| a | b |
|---|--:|
| 1 | 2 |

```py
def f():
\treturn "x"  # two
```

![a kite](https://example.org/kite.png) and $a_1 * b_1$

$$
x
$$

```
plain
```
"""
SOURCE = 'def f():\n\treturn "x"  # two'


def test_no_task_takes_a_tenth_of_a_reply_of_3000_words(opened, browser):
    words = "".join(PIECE.format(n=n) for n in range(100)).split(" ")[:3000]
    console = opened(own=True)
    console.page.add_init_script(f"{ANSWER.read_text()}answerWith({json.dumps(' '.join(words))})")
    console.sign_in()
    console.composer.fill("Tell me everything")
    browser.start_tracing(page=console.page, categories=["toplevel"])
    console.composer.press("Enter")
    console.page.evaluate("replied")
    used = processor_times(browser)
    assert len(used) > 500
    assert console.page.evaluate("grown.size") > 20, "the reply was shown while it came"
    assert max(used) < SHARE * sum(used)
    assert console.page.locator(".prose h4").count() > 40


def processor_times(browser: Browser) -> list[float]:
    """What each task of a page's main thread has taken of the processor, in microseconds."""
    events = json.loads(browser.stop_tracing())["traceEvents"]
    named = [event for event in events if event["name"] == "thread_name"]
    pages = {
        (event["pid"], event["tid"]) for event in named if event["args"]["name"] == "CrRendererMain"
    }
    tasks = [
        event
        for event in events
        if event["name"] == "ThreadControllerImpl::RunTask"
        and "dur" in event
        and (event["pid"], event["tid"]) in pages
    ]
    return [event.get("tdur", event["dur"]) for event in tasks]


def test_a_reply_has_no_markup_of_its_own_and_its_code_is_copied_as_it_was_written(opened):
    console = opened(permissions=["clipboard-read", "clipboard-write"]).sign_in()
    console.ask(SHOWN)
    answer = console.answers.last
    expect(answer.get_by_role("heading", name="Plan")).to_be_visible()
    expect(answer.get_by_role("link")).to_have_text(["ok", "a kite"])
    link = answer.get_by_role("link", name="ok")
    expect(link).to_have_attribute("rel", "noopener noreferrer nofollow")
    expect(answer).to_contain_text("<img src=x onerror=alert(1)>")
    expect(answer.locator("img")).to_have_count(0)
    code = answer.locator(".code-block").first
    expect(code.locator(".token-keyword")).to_have_text(["def", "return"])
    expect(code.locator(".code-language")).to_have_text("Python")
    expect(answer.get_by_role("checkbox", name="Done")).to_have_count(2)
    expect(answer.get_by_role("checkbox", checked=True)).to_have_count(1)
    code.get_by_role("button", name="Copy").press("Enter")
    expect(code.get_by_role("button", name="Copied")).to_be_focused()
    expect(console.page.locator("[aria-live=polite]").get_by_text("Copied.")).to_be_attached()
    assert console.page.evaluate("navigator.clipboard.readText()") == SOURCE
    assert console.violations() == []


def test_code_is_selected_where_nothing_can_be_copied(console):
    console.page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    console.ask(SHOWN)
    code = console.answers.last.locator(".code-block").first
    expect(code.locator(".token-comment")).to_be_visible()
    code.get_by_role("button", name="Copy").click()
    expect(code.get_by_role("button", name="Selected")).to_be_visible()
    assert console.page.evaluate("getSelection().toString()") == SOURCE


ARABIC = """repeat after me: - عنصر أول
- two words

> اقتباس

|عمود|two|
|-|-|
|أ|ب|

- قبل `x = 1`

  ```
  y = 2
  ```
"""
SIDES = """(prose) => {
  const right = (selector) => {
    const range = document.createRange();
    range.selectNodeContents(prose.querySelector(selector));
    return range.getBoundingClientRect().right;
  };
  const box = (selector) => prose.querySelector(selector).getBoundingClientRect();
  const style = (selector) => getComputedStyle(prose.querySelector(selector));
  return {
    items: [right('li'), right('li + li'), box('ul').right],
    columns: [box('th').left, box('th + th').left],
    table: [box('table').right, box('.table-box').right],
    bar: [style('blockquote').borderLeftWidth, style('blockquote').borderRightWidth],
    code: [style('li code').direction, style('li pre').direction, style('li pre').textAlign],
  };
}"""


def test_lists_quotes_and_tables_of_right_to_left_text_begin_at_the_right(console):
    console.ask(ARABIC)
    sides = console.answers.last.locator(".prose").evaluate(SIDES)
    first, second, edge = sides["items"]
    assert first == second, "an English item stands under an Arabic one"
    assert edge - first == 24, "the marks of the list have their place"
    assert sides["columns"] == sorted(sides["columns"], reverse=True)
    assert sides["table"][0] == sides["table"][1]
    assert sides["bar"] == ["0px", "3px"]
    assert sides["code"] == ["ltr", "ltr", "start"]
