"""The pages of widgets, and the headers that keep a widget in its frame."""

import re

import pytest

from service.browser.files import modules_of
from service.widgets.templates import WIDGET_TEMPLATES, WidgetTemplates
from tests.services import on_sqlite

pytestmark = on_sqlite

OWN = "http://localhost"  # of the test client, a loopback name


def policy(response):
    """The Content-Security-Policy as sets of sources."""
    parts = response.headers["Content-Security-Policy"].split("; ")
    return {name: set(sources) for name, *sources in (part.split(" ") for part in parts)}


def test_a_page_in_a_canvas_has_no_origin_and_no_network(client):
    response = client.get("/w/note")
    files = f"{OWN}/w/note/files/"
    code = {f"{OWN}/browser/shared/", f"{OWN}/browser/widgets/", files}
    media = {"data:", f"{OWN}/api/media/"}
    assert policy(response) == {
        "sandbox": {"allow-scripts"},
        "default-src": {"'none'"},
        "script-src": code,
        "style-src": code,
        "img-src": {*media, files},
        "media-src": media,
        "connect-src": {"'none'"},
        "form-action": {"'none'"},
        "base-uri": {"'none'"},
        "frame-ancestors": {"'self'"},
        "require-trusted-types-for": {"'script'"},
        "trusted-types": {"'none'"},
    }


def test_a_canvas_page_loses_webrtc_before_the_code_of_its_template(client, given):
    given(images=["https://pictures.example/thumbs/", "https://*.one.example"])
    page = client.get("/w/map")
    guard = '<script src="/browser/widgets/frame-guard.js"></script>'
    assert guard in page.text.partition('type="module"')[0]
    assert guard not in client.get("/app/map").text
    patterns = '"https://pictures.example/thumbs/*" "https://*.one.example"'
    assert page.headers["Connection-Allowlist"] == f"(response-origin {patterns})"
    assert "Connection-Allowlist" not in client.get("/app/map").headers


def test_a_page_of_its_own_reaches_the_api_and_is_framed_by_nobody(client):
    response = client.get("/app/note")
    shared = {"sandbox", "connect-src", "frame-ancestors"}
    rest = {name: it for name, it in policy(response).items() if name not in shared}
    assert rest == {n: it for n, it in policy(client.get("/w/note")).items() if n not in shared}
    assert "sandbox" not in policy(response)
    assert policy(response)["connect-src"] == {f"{OWN}/api/"}
    assert policy(response)["frame-ancestors"] == {"'none'"}
    assert f'<meta name="api-base" content="{OWN}">' in response.text
    assert "api-base" not in client.get("/w/note").text


@pytest.mark.parametrize(
    "path", ["/w/note", "/app/note", "/dev/widget/note", "/w/note/files/widget.js"]
)
def test_every_page_and_file_has_the_common_headers(client, path):
    response = client.get(path)
    assert response.status_code == 200
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["Cache-Control"] == "no-cache"
    again = client.get(path, headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert (
        again.headers.get("Content-Security-Policy") == response.headers["Content-Security-Policy"]
    )


def test_the_skeleton_loads_nothing_inline_and_only_what_exists(client):
    text = client.get("/w/note").text
    assert '<main id="widget" data-handle="note">' in text
    assert not re.search(r"<style|style=|<script(?![^>]* src=)|\son\w+=", text)
    loaded = re.findall(r'(?:src|href)="(/[^"]+)"', text)
    assert {"/w/note/files/widget.js", "/w/note/files/widget.css"} < set(loaded)
    assert {path: client.get(path).status_code for path in loaded} == dict.fromkeys(loaded, 200)


@pytest.mark.parametrize(("standalone", "links"), [(True, ["/", "/app/map"]), (False, ["/"])])
def test_in_a_tab_the_page_for_frames_is_a_text_without_scripts(client, given, standalone, links):
    given(standalone=standalone)
    in_frame = client.get("/w/map", headers={"Sec-Fetch-Dest": "iframe"})
    in_tab = client.get("/w/map", headers={"Sec-Fetch-Dest": "document"})
    assert "widget.js" in in_frame.text
    assert "<script" not in in_tab.text
    assert "/browser/shared/oauth.css" in in_tab.text  # a card, not a text at the window's edge
    assert re.findall(r'<a href="([^"]+)"', in_tab.text) == links
    assert policy(in_tab) == policy(in_frame)
    assert in_frame.headers["Vary"] == in_tab.headers["Vary"] == "Sec-Fetch-Dest"


def test_a_template_without_a_style_sheet_gets_the_one_of_ours(client, given):
    own = client.get("/w/note").text
    given()
    bare = client.get("/w/map").text
    assert ("/w/note/files/widget.css" in own, "widget-ui.css" in own) == (
        True,
        False,
    )  # imports it
    assert ("widget.css" in bare, "/browser/widgets/widget-ui.css" in bare) == (False, True)


@pytest.mark.parametrize("path", ["/w/note", "/app/note", "/dev/widget/note"])
def test_a_page_of_its_own_says_that_this_is_the_sandbox(client, path):
    page = client.get(path, headers={"Sec-Fetch-Dest": "document"}).text
    assert re.search(r'class="badge[^>]*>sandbox<', page)


def test_a_file_can_be_loaded_by_a_page_without_an_origin(client):
    response = client.get("/w/note/files/widget.js", headers={"Origin": "null"})
    assert response.content_type == "text/javascript; charset=utf-8"
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert response.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert policy(response) == {"sandbox": set(), "default-src": {"'none'"}}
    packed = client.get("/w/note/files/widget.css", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.content_type == "text/css; charset=utf-8"


@pytest.mark.parametrize(
    "path", ["/browser/widgets/no.js", "/browser/none/no.js", "/w/note/files/no.js"]
)
def test_a_widget_that_imports_a_missing_file_gets_the_404(client, path):
    """Without the header, the browser says that CORS forbids it."""
    response = client.get(path, headers={"Origin": "null"})
    assert response.status_code == 404
    assert response.headers["Access-Control-Allow-Origin"] == "*"


NO_FILES = [
    "/w/note/files/manifest.json",
    "/w/note/files/..%2Fnote%2Fwidget.js",
    "/w/note/files/%2Fetc%2Fpasswd",
    "/w/note/files/absent.js",
    "/w/absent/files/widget.js",
    "/w/absent",
    "/app/absent",
    "/dev/widget/absent",
]


@pytest.mark.parametrize("path", NO_FILES)
def test_what_is_no_file_of_a_template_is_not_found(client, path):
    assert client.get(path).status_code == 404


def test_pictures_come_from_where_the_manifest_says(client, given):
    given(images=["https://pictures.example/small/", "https://*.tiles.example"])
    allowed = policy(client.get("/w/map"))
    added = {"https://pictures.example/small/", "https://*.tiles.example"}
    assert added < allowed["img-src"]
    assert added < allowed["media-src"]
    assert not added & allowed["script-src"]


def test_features_that_a_manifest_does_not_ask_for_are_refused(client, given):
    given(permissions=["camera"])
    refused = client.get("/w/map").headers["Permissions-Policy"]
    assert "microphone=()" in refused
    assert "camera" not in refused


def test_a_template_may_have_no_page_of_its_own(client, given):
    given(standalone=False)
    refused = client.get("/app/map")
    assert (refused.status_code, refused.json["error"]) == (404, "not_found")
    assert client.get("/w/map").status_code == 200


def test_names_in_a_manifest_are_text_in_the_page(client, given):
    given(name='<script src="https://evil.example">')
    page = client.get("/w/map").text
    assert re.findall(r"<script[^>]*evil", page) == []
    assert "&lt;script" in page


@pytest.mark.settings(public_url="https://widgets.example/", sandbox_anywhere="1")
@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8123", "http://127.0.0.1:8123"),
        ("evil.example", "https://widgets.example"),
        ("localhost.evil.example", "https://widgets.example"),
    ],
)
def test_the_origin_in_a_policy_is_never_a_strangers(client, host, origin):
    response = client.get("/w/note", headers={"Host": host})
    assert f"{origin}/browser/widgets/" in policy(response)["script-src"]
    assert "evil" not in response.headers["Content-Security-Policy"]
    console = policy(client.get("/", headers={"Host": host}))
    assert console["frame-src"] == {f"{origin}/w/"}


def test_the_console_frames_widgets_and_nothing_else(client):
    allowed = policy(client.get("/"))
    assert allowed["frame-src"] == {f"{OWN}/w/"}
    assert allowed["img-src"] == {"'self'", "data:", "https:"}
    assert allowed["media-src"] == {"'self'"}


def test_the_developers_page_frames_the_widget(client):
    response = client.get("/dev/widget/note")
    assert '<main id="dev" data-handle="note">' in response.text
    assert 'src="/browser/widgets/mock-host-page.js"' in response.text
    assert policy(response)["frame-src"] == {f"{OWN}/w/"}
    assert policy(response)["frame-ancestors"] == {"'none'"}
    assert response.headers["X-Sandbox"] == "1"


CLIENT = "../../../browser/widgets/widget-errors.js"
WIDGET = (
    'import "./map.js";\nimport { x } from "./absent.js";\nimport "https://evil.example/a.js";\n'
)


def test_a_page_preloads_all_that_its_module_imports(app, client, folder):
    place = folder({})
    (place / "widget.js").write_text(WIDGET)
    (place / "map.js").write_text(f'export {{ x }} from "{CLIENT}";\nimport "./widget.js";\n')
    WIDGET_TEMPLATES.set(app, WidgetTemplates([place]))
    preloaded = re.findall(r'modulepreload" href="([^"]+)"', client.get("/w/map").text)
    names = {
        "/w/map/files/map.js",
        "/browser/shared/errors.js",
        "/browser/widgets/widget-errors.js",
    }
    assert names <= set(preloaded)
    assert {client.get(path).status_code for path in preloaded} == {200}
    assert "/w/map/files/widget.js" not in preloaded


def test_only_a_page_of_its_own_loads_what_reaches_the_api(client):
    """Frames share no cache, so that each file is loaded once for every widget of a canvas."""
    framed, alone = (
        set(re.findall(r'modulepreload" href="([^"]+)"', client.get(path).text))
        for path in ("/w/note", "/app/note")
    )
    assert framed < alone
    assert {
        f"/browser/{name}" for name in modules_of("widgets/client-standalone-setup.js")
    } <= alone
    assert not framed & {
        "/browser/widgets/client-standalone-setup.js",
        "/browser/shared/api-transport.js",
    }
