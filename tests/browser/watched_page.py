"""A page whose errors are collected, so that its test can look at them at its end."""

import re
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page

# Collects what screen readers are told, in `window.announcements`.
WATCH = """() => {
  window.announcements = [];
  const watch = new MutationObserver((changes) => {
    for (const { target } of changes) {
      const node = target.nodeType === 1 ? target : target.parentElement;
      const region = node?.closest('[role=status], [role=alert], [aria-live=polite]');
      if (region?.textContent) window.announcements.push(region.textContent);
    }
  });
  watch.observe(document.body, { childList: true, subtree: true, characterData: true });
}"""


@dataclass
class WatchedPage:
    """A page with its frames and the windows that it opens."""

    page: Page
    errors: list[str] = field(default_factory=list, kw_only=True)
    expected: list[str] = field(default_factory=list, kw_only=True)

    def __post_init__(self) -> None:
        self.page.context.on("weberror", self._note_thrown)
        self.page.context.on("console", self._note)

    def _note_thrown(self, thrown: Any) -> None:
        self.errors.append(f"thrown: {thrown.error}")

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(f"{message.text} {message.location['url']}".strip())

    def leave(self) -> list[str]:
        """Look no longer; returns the errors that no test expected."""
        self.page.context.remove_listener("weberror", self._note_thrown)
        self.page.context.remove_listener("console", self._note)
        return self.unexpected

    def may_say(self, pattern: str) -> None:
        """Allow lines in the browser's console that match `pattern`."""
        self.expected.append(pattern)

    @property
    def unexpected(self) -> list[str]:
        return [e for e in self.errors if not any(re.search(p, e) for p in self.expected)]
