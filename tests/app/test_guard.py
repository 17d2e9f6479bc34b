from __future__ import annotations

import pytest
from starlette.datastructures import Headers

from morebits.app.guard import HEADERS, refusal

OWN = {"host": "127.0.0.1:8642", "x-morebits": "page", "origin": "http://127.0.0.1:8642"}


def refused(method, path="/api/jobs", names=(), **changes):
    changed = {name.replace("_", "-"): value for name, value in changes.items()}
    headers = {name: value for name, value in {**OWN, **changed}.items() if value is not None}
    return refusal(Headers(headers), method, path, frozenset(names)) or ""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:1", "[::1]:8642", "192.168.1.7:8642"])
def test_addresses_and_localhost_are_names_of_this_page(host):
    assert refused("GET", host=host) == ""
    assert refused("POST", host=host, origin=f"http://{host}") == ""


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil", ""])
def test_other_names_are_refused_whatever_they_resolve_to(host):
    assert "not a name of this page" in refused("GET", "/", host=host)
    assert "not a name of this page" in refused("POST", host=host, origin=f"http://{host}")


def test_a_name_can_be_allowed():
    assert refused("GET", "/", names=["photos.local"], host="Photos.local:80") == ""


def test_one_host():
    assert refused("GET", host=None) == "a request names one host"
    twice = Headers(raw=[(b"host", b"127.0.0.1"), (b"host", b"evil.example")])
    assert refusal(twice, "GET", "/", frozenset()) == "a request names one host"


@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT", "OPTIONS"])
def test_changes_come_from_the_page_itself(method):
    assert refused(method) == ""
    assert refused(method, origin=None) == ""
    assert "another site" in refused(method, origin="http://evil.example")
    assert "another site" in refused(method, origin="null")
    assert "another site" in refused(method, origin="http://127.0.0.1:9999")
    assert "x-morebits" in refused(method, x_morebits=None)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_get_nothing_but_the_way_to_the_page(site):
    assert "another site" in refused("GET", "/api/files/x", sec_fetch_site=site)
    assert "another site" in refused("POST", sec_fetch_site=site)
    assert refused("GET", "/", sec_fetch_site=site) == ""
    assert refused("GET", "/api/files/x", sec_fetch_site="none") == ""


def test_a_real_server_refuses_and_all_answers_have_the_headers(page):
    for answer in (
        page.ask("GET", "/"),
        page.ask("GET", "/static/main.js"),
        page.ask("GET", "/no/such/page"),
        page.ask("GET", "/", host="evil.example"),
    ):
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert page.ask("GET", "/", host="evil.example").status == 403
    assert page.ask("POST", "/api/jobs", "{}", origin="http://evil.example").status == 403
    assert page.ask("POST", "/api/jobs", "{}", x_morebits="").status == 403
    assert page.ask("GET", "/api/about", sec_fetch_site="cross-site").status == 403
    assert page.ask("GET", "/no/such/page").status == 404


@pytest.mark.parametrize(
    "path", ["/static/../server.py", "/static/%2e%2e/server.py", "/static//etc/passwd"]
)
def test_only_files_of_the_page_are_served(page, path):
    assert page.ask("GET", path).status == 404
