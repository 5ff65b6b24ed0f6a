"""Raters who answer as people do: each logs in with the password that was shown, and sends through REST."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import httpx

Answers = Callable[[dict[str, Any]], dict[str, Any]]


class RestRater:
    """One of them, logged in."""

    def __init__(self, url: str, username: str, password: str) -> None:
        self.username = username
        self.rest = httpx.Client(base_url=f"{url}/api/v1", timeout=60)
        token = self._json(self.rest.post("/token", data={"username": username, "password": password}))
        self.rest.headers["Authorization"] = f"Bearer {token['access_token']}"

    def datasets(self) -> list[dict[str, Any]]:
        """The datasets that this rater sees."""
        return list(self._json(self.rest.get("/me/datasets"))["items"])

    def pending(self, dataset: str) -> list[dict[str, Any]]:
        """What the page would offer this rater, in its order."""
        pending = {"type": "terms", "values": ["pending"]}
        body = {
            "filters": {
                "type": "and",
                "and": [
                    pending | {"scope": {"entity": "response", "property": "status"}},
                    pending | {"scope": {"entity": "record", "property": "status"}},
                ],
            }
        }
        found = self.rest.post(f"/me/datasets/{dataset}/records/search", params={"limit": 100}, json=body)
        return [each["record"] for each in self._json(found)["items"]]

    def send(self, record: Mapping[str, Any], values: Mapping[str, Any], status: str = "submitted") -> dict[str, Any]:
        """Answer a record."""
        body = {"status": status, "values": {name: {"value": value} for name, value in values.items()}}
        return dict(self._json(self.rest.post(f"/records/{record['id']}/responses", json=body)))

    def rate_all(self, dataset: str, answers: Answers) -> int:
        """Answer whatever is pending."""
        done = 0
        while records := self.pending(dataset):
            for record in records:
                self.send(record, answers(record["fields"]["item"]))
                done += 1
        return done

    @staticmethod
    def _json(response: httpx.Response) -> Any:
        assert response.is_success, f"{response.request.url}: {response.status_code} {response.text}"
        return response.json()
