"""A template as an app's own module declares it: named in `EXTENSIONS`."""

from pathlib import Path

TEMPLATES = [Path(__file__).with_name("counter")]
