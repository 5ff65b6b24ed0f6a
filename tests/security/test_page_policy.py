"""Pages of whose names and texts somebody else is the author."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from markupsafe import Markup

from prbgen.pages.environment import page_environment
from tests.annotation.browser.page import launched

PRBGEN = Path(__file__).parents[2] / "prbgen"
TEMPLATES = sorted(PRBGEN.rglob("*.html.j2"))
HARM = "<script>window.harmed = 1</script><img src='{address}' onerror='window.harmed = 1'>"


def test_every_page_has_the_policy() -> None:
    pages = [file for file in TEMPLATES if "<html" in file.read_text()]
    assert len(pages) >= 2
    for page in pages:
        assert '<head>\n{% include "head.html.j2" %}' in page.read_text()


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: str(file.relative_to(PRBGEN)))
def test_no_template_trusts_a_text_or_has_a_script_of_its_own(file: Path) -> None:
    text = file.read_text()
    assert not re.search(r"\|\s*safe\b|autoescape|\son\w+=|javascript:", text)
    assert re.findall(r"<script.*?</script>", text, re.DOTALL) in ([], ["<script>{{ script }}</script>"])


@pytest.mark.parametrize("policy", [True, False], ids=["with the policy", "without it"])
def test_what_got_past_escaping_would_neither_run_nor_ask(tmp_path: Path, policy: bool) -> None:
    ours = "document.title = 'sorted'"
    head = '{% include "head.html.j2" %}' if policy else ""
    (tmp_path / "page.html.j2").write_text(
        f"<!DOCTYPE html><html><head>\n{head}\n</head><body>{{{{ harm }}}}"
        '<a id=link href="javascript:window.harmed = 1">x</a><script>{{ script }}</script></body></html>'
    )
    environment = page_environment(tmp_path)
    digest = b64encode(sha256(ours.encode()).digest()).decode()
    with elsewhere() as (address, asked), launched() as browser:
        harm = Markup(HARM.format(address=address))
        page = environment.get_template("page.html.j2").render(harm=harm, script=Markup(ours), script_hash=digest)
        (tmp_path / "page.html").write_text(page)
        opened = browser.new_page()
        opened.goto((tmp_path / "page.html").as_uri(), wait_until="networkidle")
        opened.click("#link")
        assert opened.title() == "sorted"
        assert opened.evaluate("window.harmed") == (None if policy else 1)
        assert asked == ([] if policy else ["/x"])


@contextmanager
def elsewhere() -> Iterator[tuple[str, list[str]]]:
    """A server that pages should not ask: the address of an image there, and what was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/x", asked
        server.shutdown()
