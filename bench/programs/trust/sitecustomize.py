"""Makes a process with this folder in its PYTHONPATH trust the benchmark's upstream, and no other.

It has to come before `requests`, which copies the name.
"""

import os

import certifi

certifi.where = lambda: os.environ["BENCH_CERTIFICATE"]
