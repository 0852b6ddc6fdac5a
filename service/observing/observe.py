"""The former home of four names, for `serving/logs.py` and `outbound/upstream.py`.

Import them from `logs.py` and `measures.py`.
"""

from service.observing.logs import log_info, place_of_error, redactor
from service.observing.measures import count_upstream_call

__all__ = ["count_upstream_call", "log_info", "place_of_error", "redactor"]
