"""Any bearer token, signed or not, is either accepted or answered with 401."""

import base64
import hashlib
import hmac
import json
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.depth import depth
from tests.services import SECRET, on_sqlite

ALG = '{"alg":"HS256"}'

pytestmark = on_sqlite


def encoded(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def signed(payload: str, header: str = ALG) -> str:
    """Sign any text as a token. `json.dumps` would escape some of it."""
    parts = (part.encode("utf-8", "surrogatepass") for part in (header, payload))
    message = b".".join(map(encoded, parts))
    digest = hmac.digest(SECRET.encode(), message, hashlib.sha256)
    return (message + b"." + encoded(digest)).decode()


def claims(**more) -> str:
    return json.dumps({"sub": "alice", "exp": int(time.time()) + 600, **more})


DEEP = "[" * 3000 + "]" * 3000
DEEP_OBJECT = '{"a":' * 3000 + "1" + "}" * 3000
ODD = {
    "a deep payload": signed(DEEP),
    "a deep claim": signed(f'{{"sub":"alice","x":{DEEP}}}'),
    "a deep object": signed(DEEP_OBJECT),
    "a deep header": signed(claims(), f'{{"alg":"HS256","x":{DEEP}}}'),
    "a surrogate in sub": signed(claims(sub="\ud800")),
    "raw bytes of a surrogate": signed('{"sub":"\ud800","exp":99999999999}'),
    "a surrogate in role": signed(claims(role="\ud800")),
    "NUL in role": signed(claims(role="a\0")),
    "iat is not a number": signed(claims(iat=float("nan"))),
    "exp is infinite": signed(claims(exp=1).replace('"exp": 1', '"exp": 1e999')),
    "exp is not a number": signed(claims(exp=1).replace('"exp": 1', '"exp": NaN')),
    "exp of 5000 digits": signed(claims(exp=1).replace('"exp": 1', f'"exp": {"9" * 5000}')),
    "exp of 4000 digits": signed(claims(exp=1).replace('"exp": 1', f'"exp": {"9" * 4000}')),
    "a list": signed("[]"),
    "a number": signed("1"),
    "nothing": signed(""),
    "not JSON": signed("{"),
    "alg is a list": signed(claims(), '{"alg":["HS256"]}'),
    "b64 is false": signed(claims(), '{"alg":"HS256","b64":false,"crit":["b64"]}'),
}  # fmt: skip


@pytest.mark.parametrize("token", ODD.values(), ids=ODD)
def test_an_odd_token_is_refused(client, token):
    answer = client.get("/api/ai/models", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 401, answer.json


@pytest.mark.parametrize("name", ["email", "name", "picture"])
def test_a_surrogate_in_an_optional_claim_drops_the_claim(alice, client, name):
    answer = client.get(
        "/api/records/users",
        headers={"Authorization": f"Bearer {signed(claims(**{name: chr(0xD800)}))}"},
    )
    assert (answer.status_code, name in answer.json["records"][0]["data"]) == (200, False)


TEXTS = st.text(st.sampled_from("a\ud800\u00e9"), min_size=1, max_size=4) | st.text(max_size=4)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
NAMES = ("sub", "exp", "iat", "nbf", "iss", "aud", "role", "email", "name", "jti")
ODD_TEXTS = st.dictionaries(st.sampled_from(["sub", "role", "email", "name"]), TEXTS, min_size=1)
ODD_CLAIMS = ODD_TEXTS | st.dictionaries(st.sampled_from(NAMES), st.floats() | JSONS, max_size=2)
HEADERS = st.dictionaries(
    st.sampled_from(["typ", "kid", "crit", "b64", "jwk", "jku", "zip", "alg"]) | TEXTS, JSONS
)
SOME = settings(
    max_examples=depth(150),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@SOME
@given(odd_claims=ODD_CLAIMS)
def test_any_claims_signed_with_our_key_are_accepted_or_refused(client, odd_claims):
    good = {"sub": "alice", "exp": int(time.time()) + 600, "role": "user"}
    token = signed(json.dumps({**good, **odd_claims}))
    for path in ("/api/records/users", "/api/credits"):
        answer = client.get(path, headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code in (200, 401, 403), (answer.json, odd_claims)


@SOME
@given(header=HEADERS)
def test_any_header_signed_with_our_key_is_accepted_or_refused(client, header):
    token = signed(claims(), json.dumps({"alg": "HS256", **header}))
    answer = client.get("/api/ai/models", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code in (200, 401), (answer.json, header)


@SOME
@given(
    scheme=st.sampled_from(["Bearer ", "bearer\t", "Bearer", ""]) | st.text(max_size=9),
    token=st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"), max_size=60)
    | st.lists(st.binary(max_size=20).map(encoded).map(bytes.decode), max_size=6).map(".".join),
)
def test_any_random_authorization_is_refused(client, scheme, token):
    header = (scheme + token).encode("latin-1", "replace").decode("latin-1")
    if "\n" in header or "\r" in header:
        return
    answer = client.get("/api/ai/models", headers={"Authorization": header})
    assert answer.status_code == 401, header
