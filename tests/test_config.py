"""Settings: wrong values fail at boot, with the setting's name and never its value."""

import base64
import json
import re
from dataclasses import fields
from datetime import timedelta

import pytest
import time_machine
from joserfc import jwt
from joserfc.jwk import OctKey

from config import (
    ROOT,
    ConfigError,
    Settings,
    known_names,
    load,
    with_declared,
)
from service import create_app
from service.auth.tokens import issue
from service.cli.catalog import settings_table
from service.declarations import declarations
from service.integrations.everything import catalog
from service.observing.logs import log
from service.times import now
from tests.fresh_copy import EXPIRED, FreshCopy
from tests.services import ENVIRONMENT, free_port, settings_for

WRONG = {
    "PORT": "eighty",
    "CONTEXT_BUDGET": "abc",
    "WEB_CONCURRENCY": "0",
    "PUBLIC_URL": "ftp://host",
    "AUTH_SECRET": "too-short",
    "AUTH_JWKS_URL": "not a url",
    "TOKEN_ENCRYPTION_KEYS": "k:c2hvcnQ=",
    "PROVIDER_A_BASE_URL": "https://user:password@host",
    "MODEL_NAMES": "llm-unknown=x",
    "MAX_OUTPUT_TOKENS": "-1",
    "CORS_ORIGINS": "*",
    "PROVIDER_B_BASE_URL": "https://host:99999",
    "PROVIDER_C_BASE_URL": "https://ho\nst",
    "PROVIDER_C_API_KEY": "k-1\nk-2",
    "PROVIDER_A_API_KEY": " k-1",
    "INTEGRATIONS_BILLING": "neuralsearch=developer,neuralsearch=user",
    "INTEGRATIONS_GATEWAY_URL": "https://other.test/api",
    "MEDIA_DIR": "instance/media",
    "MEDIA_QUOTA": "31",
    "ASSISTANT_INSTRUCTIONS": "i" * 20_001,
    "OTEL_EXPORTER_OTLP_HEADERS": "x-key=%E6%9D%B1",
    "SANDBOX": "perhaps",
}


@pytest.mark.parametrize(("name", "value"), WRONG.items())
def test_a_wrong_value_names_its_setting_and_hides_itself(name, value):
    with pytest.raises(ConfigError) as raised:
        load({name: value})
    assert str(raised.value).startswith(f"{name}: must ")
    assert value not in str(raised.value).removeprefix(name)


def test_a_number_has_its_bounds_in_the_error():
    for value in ("abc", "8000.5", "0", "65536"):
        with pytest.raises(ConfigError, match="^PORT: must be a whole number from 1 to 65535$"):
            load({"PORT": value})


BINDS = {
    True: [
        "0.0.0.0:8000",
        "127.0.0.1:0",
        ":8000",
        "localhost:8000",
        "[::1]:8000",
        "unix:/run/s.sock",
        "a:1,b:2",
    ],
    False: [
        "127.0.0.1:99999",
        ",",
        "foo",
        "8080",
        "localhost",
        "[::1]",
        "tcp://foo",
        "a:1,foo",
        "foo:bar",
        "[1.2.3.4]:80",
        "::1",
        "http://a:1",
        "a b:1",
    ],
}


@pytest.mark.parametrize("value", BINDS[True])
def test_gunicorn_listens_where_it_can(value):
    assert load({"BIND": value}).listen == value


@pytest.mark.parametrize("value", BINDS[False])
def test_where_gunicorn_cannot_listen_is_refused(value):
    with pytest.raises(ConfigError, match=r"^BIND: must be host:port"):
        load({"BIND": value})


ORIGINS = {
    "https://app.example.com": "https://app.example.com",
    "https://App.Example.com:443": "https://app.example.com",
    "HTTP://app.example.com:80": "http://app.example.com",
    "http://app.example.com:0443": "http://app.example.com:443",
    "https://chät.example.com": "https://xn--cht-rla.example.com",
    "https://Ä.example.com:8443": "https://xn--4ca.example.com:8443",
    "http://[0:0::1]:80": "http://[::1]",
    "http://127.0.0.1:8000": "http://127.0.0.1:8000",
}
NO_ORIGINS = [
    "https://",
    "https://:8000",
    "https://*.example.com",
    "https://u:p@x.com",
    "https://example.com:99999",
    "https://example.com:0",
    "https://a b.com",
    "https://a..b",
    "https://127.1",
    "https://0x7f.0.0.1",
    "https://[::g]",
    "https://stra\u00dfe.example",
    "https://x.com?",
    "https://x.com/?a=b",
    "https://x.com/#f",
    "app.example.com",
]


@pytest.mark.parametrize(("value", "written"), ORIGINS.items())
def test_an_origin_is_kept_as_browsers_write_it(value, written):
    settings = load({"PUBLIC_URL": f"{value}/", "CORS_ORIGINS": f"http://first.test,{value}"})
    assert settings.public_url == written
    assert settings.cors_origins == ("http://first.test", written)
    with pytest.raises(ConfigError, match="^PUBLIC_URL: must be without a path"):
        load({"PUBLIC_URL": f"{value}/A/b/"})


def test_a_base_url_has_nothing_of_what_is_appended_to_it():
    kept = {"A": "https://a.test", "B": "https://b.test/v1", "C": "https://c.test/openai/v1"}
    settings = load({f"PROVIDER_{name}_BASE_URL": f"{url}/" for name, url in kept.items()})
    assert settings.provider_a_base_url == kept["A"]
    assert (settings.provider_b_base_url, settings.provider_c_base_url) == (kept["B"], kept["C"])
    for name, end in [("A", "/v1/"), ("A", "/v1/messages"), ("B", "/chat/completions")]:
        name = f"PROVIDER_{name}_BASE_URL"
        with pytest.raises(ConfigError, match=f"^{name}: must end before /.+, which is appended$"):
            load({name: f"https://x.test{end}"})
    for name in ("PROVIDER_C_BASE_URL", "INTEGRATIONS_GATEWAY_URL"):
        for end in ("?api-version=1", "#here"):
            with pytest.raises(ConfigError, match=f"^{name}: must be .* without .* query and fra"):
                load({name: f"https://x.test/v1{end}"})


@pytest.mark.parametrize("value", NO_ORIGINS)
@pytest.mark.parametrize("name", ["PUBLIC_URL", "CORS_ORIGINS"])
def test_an_address_that_no_page_can_have_is_refused(name, value):
    with pytest.raises(ConfigError, match=f"^{name}: (must be|not a valid value)"):
        load({name: value})


def test_an_origin_has_no_path():
    for value in ("https://x.com/", "https://x.com/a"):
        with pytest.raises(ConfigError, match="^CORS_ORIGINS: must be exact origins"):
            load({"CORS_ORIGINS": value})


VENDORS = {  # values that no vendor can be called with
    "CLOUDSUITE_SCOPE_NAMES": [
        "mail.modify",
        "mail.modify=",
        "=x",
        "drive=a b",
        "mail.modfy=x",
        "drive=a,drive=b",
    ],
    "WIKIMEDIA_CONTACT": ["a\nb", "tschü@example.com"],
    "EXA_API_KEY": ["k-1\n", "k-1 ", " "],
    "SLACK_CHANNELS": ["#general", "general", "C0123456789,random"],
    "EXA_BASE_URL": ["https://exa .test", "https://exa.test\n", "exa.test", "https://exa.test?a=1"],
    "CLOUDSUITE_MAIL_BASE_URL": ["https://mail.test/v1?", "https://mail.test/v1#here"],
    "CLOUDSUITE_SCOPE_BASE": ["https://scope.test/auth#here"],
    "LIVEKIT_URL": ["wss://rooms.test?a=1", "https://rooms.test#here"],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name in VENDORS for value in VENDORS[name]]
)
def test_a_wrong_value_of_a_vendors_setting_is_refused(name, value):
    with pytest.raises(ConfigError, match=f"^{name}: must "):
        declarations(load({name: value}))


@pytest.mark.parametrize("path", ["/token?p=policy", "/oauth/token/", "/oauth/token/?p=policy"])
def test_an_address_of_an_authorization_server_is_kept_as_it_is(path):
    """Source: RFC 6749, sections 3.1 and 3.2, for the query."""
    url = f"https://accounts.test{path}"
    assert declarations(load({"CLOUDSUITE_TOKEN_URL": url})).settings.vendors == {
        "CLOUDSUITE_TOKEN_URL": url
    }


def test_a_collector_may_be_written_with_a_slash_at_its_end():
    settings = load({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.test:4318/"})
    assert settings.otel_exporter_otlp_endpoint == "http://collector.test:4318"


def test_names_of_scopes_can_be_replaced_singly():
    value = "mail.full=https://mail.test/, drive = files.all,openid=openid"
    settings = declarations(load({"CLOUDSUITE_SCOPE_NAMES": value})).settings
    assert settings.vendors["CLOUDSUITE_SCOPE_NAMES"] == value


def test_a_secret_may_stand_in_a_file(tmp_path):
    path = tmp_path / "secret"
    path.write_text("s" * 40 + "\n")
    assert load({"AUTH_SECRET_FILE": str(path)}).auth_secret == "s" * 40


def test_a_long_text_may_stand_in_a_file_and_is_no_secret(tmp_path):
    path = tmp_path / "instructions"
    path.write_text("You are called Ada.\n\n" + "é" * 19_979 + "\n")
    settings = load({"ASSISTANT_INSTRUCTIONS_FILE": str(path)})
    assert len(settings.assistant_instructions) == 20_000
    assert settings.assistant_instructions not in settings.secrets
    assert load({"ASSISTANT_INSTRUCTIONS": " \n"}).assistant_instructions is None
    with pytest.raises(ConfigError, match="^ASSISTANT_INSTRUCTIONS: must be text in UTF-8"):
        load({"ASSISTANT_INSTRUCTIONS": "caf\udce9"})


def test_a_secret_given_twice_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="^AUTH_SECRET: set either"):
        load({"AUTH_SECRET": "s" * 40, "AUTH_SECRET_FILE": str(tmp_path / "x")})


def test_a_secret_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ConfigError, match="^OWNER_TOKEN_FILE: FileNotFoundError"):
        load({"OWNER_TOKEN_FILE": str(tmp_path / "absent")})


@pytest.mark.parametrize("name", ["DATABASE_URL", "ASSISTANT_INSTRUCTIONS"])
def test_an_empty_file_is_refused(tmp_path, name):
    path = tmp_path / "empty"
    path.write_text(" \n")
    with pytest.raises(ConfigError, match=f"^{name}_FILE: the file is empty"):
        load({f"{name}_FILE": str(path)})


@pytest.mark.parametrize("name", ["AUTH_AUDIENCE", "CLOUDSUITE_CLIENT_ID"])
def test_the_file_of_a_setting_that_is_no_secret_is_refused(tmp_path, name):
    with pytest.raises(ConfigError, match=f"^{name}_FILE: must not be set"):
        complete({f"{name}_FILE": str(tmp_path / "value")})
    assert complete({f"{name}_FILE": "theirs", name: "x"})


def test_every_key_of_a_vendor_may_stand_in_a_file(tmp_path):
    path = tmp_path / "key"
    path.write_text("k-1\n")
    for name in ("LIVEKIT_API_KEY", "TIKTOK_CLIENT_KEY", "EXA_API_KEY"):
        assert complete({f"{name}_FILE": str(path)}).vendors == {name: "k-1"}


def test_one_model_has_one_name():
    with pytest.raises(ConfigError, match="^MODEL_NAMES: must name each"):
        load({"MODEL_NAMES": "gen-5.4=a,gen-5.4=b"})


def test_two_sealing_keys_have_two_ids():
    with pytest.raises(
        ConfigError, match="^TOKEN_ENCRYPTION_KEYS: must not have two keys with one id"
    ):
        load({"TOKEN_ENCRYPTION_KEYS": f"k:{KEY},k:{OLD_KEY}"})


def test_one_model_name_can_be_overridden_alone():
    names = load({"MODEL_NAMES": "oss-120b=gpt-oss:120b"}).model_names
    assert names["oss-120b"] == "gpt-oss:120b"
    assert names["gen-5.4"] == "gpt-5.4"


def test_secrets_stay_out_of_the_representation():
    settings = load({"AUTH_SECRET": "s" * 40, "PROVIDER_A_API_KEY": "key-canary"})
    assert "s" * 40 not in repr(settings)
    assert "key-canary" not in repr(settings)


KEY = base64.b64encode(bytes(range(32))).decode()
OLD_KEY = base64.b64encode(bytes(range(100, 132))).decode()


@pytest.mark.parametrize(
    ("name", "value", "hidden"),
    [
        ("DATABASE_URL", "postgresql+psycopg://app:p%40ss-canary@host/db", "p%40ss-canary"),
        ("DATABASE_URL", "postgresql+psycopg://app:p%40ss-canary@host/db", "p@ss-canary"),
        ("DATABASE_URL", "postgresql+psycopg://app:short@host/db", "app:short@"),
        ("DATABASE_URL", "postgresql+psycopg://host/db?password=canary-q", "canary-q"),
        ("TOKEN_ENCRYPTION_KEYS", f"new:{KEY},old:{OLD_KEY}", KEY),
        ("TOKEN_ENCRYPTION_KEYS", f"new:{KEY},old:{OLD_KEY}", OLD_KEY),
    ],
)
def test_no_part_of_a_secret_stands_in_a_log_line(tmp_path, capfd, name, value, hidden):
    place = {"DATABASE_URL": f"sqlite:///{tmp_path}/app.db"}
    create_app(load({**ENVIRONMENT, **place, name: value}))
    log.error("connecting", to=f"<{hidden}>", all=[{"keys": hidden}])
    told = json.loads(capfd.readouterr().err.splitlines()[-1])
    assert (told["to"], told["all"]) == ("<[secret]>", [{"keys": "[secret]"}])


def test_a_database_file_is_no_secret(capfd):
    create_app(settings_for("sqlite:////tmp/app.db"))
    log.error("opening", path="sqlite:////tmp/app.db")
    assert json.loads(capfd.readouterr().err.splitlines()[-1])["path"] == "sqlite:////tmp/app.db"


def test_the_database_and_its_password_may_stand_in_a_file(tmp_path):
    path = tmp_path / "url"
    path.write_text("postgresql+psycopg://app:canary@host/db\n")
    settings = load({"DATABASE_URL_FILE": str(path)})
    assert settings.database_url == "postgresql+psycopg://app:canary@host/db"
    assert "canary" not in repr(settings)


VENDORS = catalog().settings


def complete(environ):
    """Settings, with those of the vendors."""
    return with_declared(load(environ), VENDORS)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("DATABSE_URL", "DATABASE_URL"),
        ("DATABSAE_URL", "DATABASE_URL"),
        ("CORS_ORIGIN", "CORS_ORIGINS"),
        ("OWNER_TOKENS", "OWNER_TOKEN"),
        ("AUTH_SECRET_FIEL", "AUTH_SECRET_FILE"),
        ("PROVIDER_A_APIKEY", "PROVIDER_A_API_KEY"),
        ("TOKEN_ENCRIPTION_KEY", "TOKEN_ENCRYPTION_KEYS"),
        ("CLOUDSUIT_CLIENT_ID", "CLOUDSUITE_CLIENT_ID"),
    ],
)
def test_a_misspelt_setting_is_refused_with_the_right_name(name, meant):
    with pytest.raises(ConfigError, match=f"^{name}: must be spelt {meant}") as raised:
        complete({name: "value-canary"})
    assert "value-canary" not in str(raised.value)


OTHERS = [
    "PORTS",
    "BINDIR",
    "GITHUB_ACTIONS",
    "GITHUB_BASE_REF",
    "GITHUB_API_URL",
    "GITHUB_SERVER_URL",
    "GITHUB_REF_NAME",
    "GH_TOKEN",
    "XAI_API_KEY",
    "XAI_BASE_URL",
    "OPENAI_ORG_ID",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "DATABASE_URL_TEST",
    "TEST_DATABASE_URL",
    "DATABASE_HOST",
    "DATABASE_NAME",
    "AUTH_TOKEN",
    "AUTH_URL",
    "AUTH_TRUST_HOST",
    "AUTH_SECRET_1",
    "PUBLIC_DIR",
    "PUBLIC_IP",
    "MODEL_PATH",
    "KUBERNETES_SERVICE_PORT",
    "OTEL_TRACES_SAMPLER",
    "MEDIA_ROOT",
    "FLASK_APP",
    "PROMETHEUS_MULTIPROC_DIR",
    "SSH_AUTH_SOCK",
]


@pytest.mark.parametrize("name", OTHERS)
def test_what_belongs_to_others_is_left_alone(name):
    assert complete({name: "theirs"}).unknown == ()


def test_a_near_miss_beside_the_right_name_is_somebody_elses():
    assert complete({"MODEL_NAME": "theirs", "MODEL_NAMES": "oss-120b=x"}).unknown == ()
    assert complete({"CORS_ORIGIN": ""}).unknown == (), "an empty one is as good as none"


def test_an_unknown_name_that_begins_as_ours_is_noted_and_no_error():
    environ = {"PROVIDER_A_TIMEOUT": "3", "CLOUDSUITE_COLOUR": "red"}
    assert complete(environ).unknown == ("CLOUDSUITE_COLOUR", "PROVIDER_A_TIMEOUT")


def test_every_setting_is_documented_and_every_documented_one_exists():
    text = (ROOT / "docs/deployment.md").read_text()
    table, vendors = text.split("## Settings")[1].split("\n## ")[0].split("\n### Integrations")
    assert "\n".join(settings_table(catalog())) in vendors, "see `flask catalog settings`"
    documented = set(re.findall(r"^\| `([A-Z_0-9]+)`", table, re.M))
    assert documented == {f.name.upper() for f in fields(Settings) if f.metadata}


def test_the_page_names_every_secret():
    """Each may come from a file."""
    text = (ROOT / "docs/deployment.md").read_text()
    [paragraph] = re.findall(r"Secrets are (.*?)may\s+instead be given as", text, re.S)
    assert set(re.findall(r"`([A-Z_]{5,})`", paragraph)) == known_names()[1]


BOOT = {
    "AUTH_SECRET: must be set": {"SANDBOX": "0", "AUTH_SECRET": ""},
    "OWNER_TOKEN: must be set": {"SANDBOX": "0", "OWNER_TOKEN": ""},
    "OWNER_TOKEN: must be a valid": {"OWNER_TOKEN": "not.a.token"},
    "OWNER_TOKEN: must be a valid, unexpired token that fits the AUTH_… settings": {
        "OWNER_TOKEN": EXPIRED
    },
    "TOKEN_ENCRYPTION_KEYS: ": {"SANDBOX": "0", "TOKEN_ENCRYPTION_KEYS": ""},
    "BUDGETS: must be day=credits": {"BUDGETS": "week=500"},
    "BUDGETS: must be day=": {"BUDGETS": "day=5,day=6"},
    "RATE_LIMITS: must be kind=number/period": {"RATE_LIMITS": "turns=30/fortnight"},
    "RATE_LIMITS: must be kind=number/p": {"RATE_LIMITS": "turn=30/minute"},
    "RATE_LIMIT_STORAGE_URL: must begin with": {"RATE_LIMIT_STORAGE_URL": "memcached://host"},
    "RATE_LIMIT_STORAGE_URL: must be redis": {
        "RATE_LIMITS": "turns=30/minute",
        "WEB_CONCURRENCY": "2",
    },
    "RATE_LIMIT_STORAGE_URL: must be an address of Redis": {
        "RATE_LIMITS": "turns=30/minute",
        "RATE_LIMIT_STORAGE_URL": "redis://:p55w0rd/tail@host/0",
    },
    "RATE_LIMIT_STORAGE_URL: must not have options": {
        "RATE_LIMITS": "turns=30/minute",
        "RATE_LIMIT_STORAGE_URL": "redis://:p55w0rd@host/0?foo=1",
    },
    "RATE_LIMIT_STORAGE_URL: must not have options that redis-py does not know": {
        "RATE_LIMITS": "turns=30/minute",
        "RATE_LIMIT_STORAGE_URL": "rediss://:p55w0rd@host/0?ssl_cert_reqs=some",
    },
    "AUTH_ISSUER: must be set": {"AUTH_JWKS_URL": "http://127.0.0.1:9/jwks"},
    "TOOLS_ALLOWED: must name known": {"TOOLS_ALLOWED": "schema.list,records.explode"},
    "EXTENSIONS: nowhere.at.all": {"EXTENSIONS": "nowhere.at.all"},
    "MEDIA_DIR: must be a directory": {"MEDIA_DIR": "/dev/null/media"},
    "DATABASE_URL: must be sqlite": {"DATABASE_URL": "no url"},
    "DATABASE_URL: must be sqlite:///path": {
        "DATABASE_URL": "postgresql+psycopg://u:p@55w0rd:tail@h/db"
    },
    "DATABASE_URL: must be sqlite:///path or p": {
        "DATABASE_URL": "postgresql+psycopg://u:p@55w0rd@h/db"
    },
    "DATABASE_URL: must be sqlite:///path or po": {
        "DATABASE_URL": "postgresql+psycopg://u:p@55w0rd/tail@h/db"
    },
    "DATABASE_URL: must be sqlite:///path or pos": {
        "DATABASE_URL": "postgresql+psycopg://u:p@55w0rd?tail@h/db"
    },
    "DATABASE_URL: must be sqlite:///path or post": {
        "DATABASE_URL": "postgresql+psycopg://u:p@55w0rd?the=tail@h/db"
    },
    "DATABASE_URL: must be sqlite:///path or postg": {
        "DATABASE_URL": "postgresql+psycopg://u:p@55w0rd/the?tail@h/db"
    },
    "DATABASE_URL: must be sqlite:///": {"DATABASE_URL": "sqlite://"},
    "DATABASE_URL: must be sqlite:///p": {"DATABASE_URL": "sqlite:///:memory:"},
    "DATABASE_URL: must be sqlite:///path or": {
        "DATABASE_URL": "sqlite:///file:app?mode=memory&uri=true"
    },
    "DATABASE_URL: must be sqlite:///pa": {"DATABASE_URL": "mysql://host/db"},
    "DATABASE_URL: must be sqlite:///pat": {"DATABASE_URL": "sqlite+aiosqlite:////tmp/app.db"},
    "DATABASE_URL: must be a path behind sqlite:///": {
        "DATABASE_URL": "sqlite:///file:/tmp/app.db?uri=true"
    },
    "DATABASE_URL: must be a path behind sqlite:///, not": {
        "DATABASE_URL": "sqlite:////tmp/app.db?uri=true"
    },
    "DATABASE_URL: must be a path behind sqlite:///, n": {"DATABASE_URL": "sqlite:///file:app.db"},
    "SANDBOX: must stay on loopback": {"BIND": "0.0.0.0:8000"},
}


@pytest.mark.parametrize(("text", "values"), BOOT.items())
def test_what_cannot_work_is_refused_at_boot(text, values, tmp_path):
    database = f"sqlite:///{tmp_path}/app.db"
    with pytest.raises(ConfigError) as raised:
        create_app(load({**ENVIRONMENT, "DATABASE_URL": database, **values}))
    assert str(raised.value).startswith(text)


def test_more_tools_than_models_take_are_refused_at_boot(tmp_path):
    """The extension makes them 128."""
    database = f"sqlite:///{tmp_path}/app.db"
    values = {**ENVIRONMENT, "DATABASE_URL": database, "EXTENSIONS": "tests.many_tools"}
    assert len(create_app(load(values)).extensions["tools"].specs) == 128
    one_more = {**values, "ASSISTANT_ENDPOINTS": "weather-forecast"}
    with pytest.raises(ConfigError, match="^EXTENSIONS: .*129 tools.*128 at most.*TOOLS_ALLOWED"):
        create_app(load(one_more))
    chosen = {**one_more, "TOOLS_ALLOWED": "weather-forecast,test.many-1"}
    assert len(create_app(load(chosen)).extensions["tools"].specs) == 2


@pytest.mark.parametrize(
    ("begins", "ends", "fault"),
    [
        (-60, -30, r" makes one\); it ended at \d{4}-\d\d-\d\dT\d\d:\d\dZ$"),
        (30, 60, r"; it was issued at \S+Z, and this host's clock is behind that$"),
        (-60, 60, r" makes one\)$"),  # another secret, issuer or audience
    ],
)
def test_the_refusal_of_the_owners_token_tells_what_is_wrong_with_its_times(
    tmp_path, begins, ends, fault
):
    """They are the host's clock's as well."""
    other = load({"AUTH_SECRET": "another-secret" * 4})
    with time_machine.travel(now() + timedelta(minutes=begins), tick=False):
        token = issue(other, "boss", "owner", (ends - begins) * 60)
    with pytest.raises(ConfigError, match=fault):
        create_app(settings_for(f"sqlite:///{tmp_path}/app.db", owner_token=token))


@pytest.mark.parametrize(
    ("claims", "fault"),
    [
        ({"exp": 1}, "; it ended at 1970-01-01T00:00Z"),  # without `iat`, which may be missing
        ({"iat": 1, "exp": 253402300799}, ""),  # the last second that a datetime can tell
    ],
)
def test_any_times_of_the_owners_token_are_refused_in_one_line(tmp_path, claims, fault):
    token = jwt.encode({"alg": "HS256"}, {"sub": "boss", **claims}, OctKey.generate_key(256))
    with pytest.raises(ConfigError, match=rf"^OWNER_TOKEN: .* makes one\){fault}$"):
        create_app(settings_for(f"sqlite:///{tmp_path}/app.db", owner_token=token))


def test_the_sandbox_may_be_opened_on_purpose(tmp_path):
    database = f"sqlite:///{tmp_path}/app.db"
    app = create_app(settings_for(database, bind="0.0.0.0:8000", sandbox_anywhere="1"))
    assert "sandbox" in app.extensions


SERVING = {name: ENVIRONMENT[name] for name in ("AUTH_SECRET", "TOKEN_ENCRYPTION_KEYS")}


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    return FreshCopy(tmp_path_factory.mktemp("fresh"))


@pytest.mark.parametrize(
    ("values", "line"),
    [  # of each place: the settings, what they declare and the sandbox, and the app in a worker
        ({"PORT": "eighty"}, "PORT: must be a whole number"),
        ({**ENVIRONMENT, "CLOUDSUITE_SCOPE_NAMES": "mail.modify"}, "CLOUDSUITE_SCOPE_NAMES: must"),
        ({**SERVING, "OWNER_TOKEN": EXPIRED}, "OWNER_TOKEN: must be a valid, unexpired token"),
    ],
)
def test_the_server_refuses_to_start_in_one_line(fresh, values, line):
    done = fresh.gunicorn(**{"PORT": str(free_port()), **values})
    assert done.returncode != 0
    assert re.search(f"^Error: {re.escape(line)}", done.stdout, re.M), done.stdout
    assert "Traceback" not in done.stdout
