"""The rows of metrics in docs/operations.md: name, type, labels and two more."""

import re

ROW = re.compile(
    r"^\| `([a-z_]+)` \| (counter|gauge|histogram) \| ([a-z`, ]*)\|(.*)\|(.*)\|$", re.M
)
