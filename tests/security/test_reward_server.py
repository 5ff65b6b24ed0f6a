"""Web pages that ask a reward server on the machine of whoever reads them."""

from __future__ import annotations

import pytest

from tests.downstream.ppo.serve.reward_serving import Checksums, served


@pytest.fixture
def scorer() -> Checksums:
    made = Checksums()
    made.open.set()
    return made


@pytest.mark.parametrize("path", ["score", "health", "metrics"])
@pytest.mark.parametrize("name", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", ""])
async def test_a_name_that_a_page_lets_point_here_is_refused(name: str, path: str, scorer: Checksums) -> None:
    async with served(scorer) as server:
        method = "POST" if path == "score" else "GET"
        reply = await server.client.request(method, f"{server.url}/{path}", headers={"host": name}, content=b"{}")
    assert reply.status_code == 403
    assert not scorer.asked


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:3000"])
async def test_a_page_elsewhere_gets_no_scores_and_no_leave_to_read(origin: str, scorer: Checksums) -> None:
    async with served(scorer) as server:
        headers = {"origin": origin, "content-type": "text/plain"}
        body = b'{"inputs": [{"prompt": "p", "response": "r"}]}'
        reply = await server.client.post(f"{server.url}/score", headers=headers, content=body)
        asked_before = await server.client.options(f"{server.url}/score", headers=headers)
    assert reply.status_code == 403
    assert not [name for each in (reply, asked_before) for name in each.headers if name.startswith("access-control")]
    assert not scorer.asked


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST:8000", "127.0.0.1", "127.0.0.2:80", "[::1]:8000"])
async def test_this_machine_is_served_by_any_of_its_names(name: str, scorer: Checksums) -> None:
    async with served(scorer) as server:
        reply = await server.client.get(f"{server.url}/health", headers={"host": name})
    assert reply.status_code == 200


async def test_with_a_key_the_name_does_not_matter(scorer: Checksums) -> None:
    async with served(scorer, key="k" * 20) as server:
        reply = await server.client.get(f"{server.url}/health", headers={"host": "reward.example"})
    assert reply.status_code == 200
