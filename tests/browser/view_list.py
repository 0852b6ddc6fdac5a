"""The views of the console, for tests that look at all of them."""

VIEWS = {  # with what is there once a view has read what it shows
    "chat": ".chat-link",
    "data": ".data-grid tbody tr",
    "data/tasks": ".data-table[aria-label='Tasks'] tbody tr",
    "connections": ".account",
    "canvas": ".canvas-card",
    "explorer": ".endpoint-link",
    "explorer/weather-forecast": ".endpoint-work",
    "usage": ".sources tbody tr",
    "usage/calls": ".usage-empty:text('No endpoint was called')",
    "usage/statement": ".entry-amount",
    "admin": ".admin-figure:text-matches('[0-9]')",
    "admin/users": ".admin-name",
}
