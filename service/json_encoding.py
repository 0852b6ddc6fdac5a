"""Write JSON with an encoder that is made once.

`json.dumps` and `JSONEncoder.encode` make a new encoder of the C extension for each value, which
takes longer than a short value itself.
"""

import json
from collections.abc import Callable
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

Encode = Callable[[Any], str]
COMPACT = (",", ":")


def encoder(
    *,
    ensure_ascii: bool = False,
    separators: tuple[str, str] = COMPACT,
    allow_nan: bool = True,
    sort_keys: bool = False,
    default: Callable[[Any], Any] | None = None,
) -> Encode:
    """Return a function that writes a value as `json.dumps` does with these options.

    It raises TypeError, ValueError and RecursionError, the last also for a value in itself.
    """
    usual = json.JSONEncoder(
        ensure_ascii=ensure_ascii,
        separators=separators,
        allow_nan=allow_nan,
        sort_keys=sort_keys,
        default=default,
        check_circular=False,
    )
    make: Any = json.encoder.c_make_encoder  # type: ignore[attr-defined]
    if make is None:  # a Python without the C extension
        return usual.encode
    write_text = encode_basestring_ascii if ensure_ascii else encode_basestring
    item, key = separators
    pieces = make(None, usual.default, write_text, None, key, item, sort_keys, False, allow_nan)
    join = "".join
    return lambda value: join(pieces(value, 0))
