"""annotation/compose.yaml: pinned, private, without a secret in it."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from prbgen.resources import resource

SECRETS = {"ARGILLA_OWNER_PASSWORD", "ARGILLA_API_KEY", "ARGILLA_AUTH_SECRET_KEY", "POSTGRES_PASSWORD"}


@pytest.fixture(scope="module")
def text() -> str:
    return (resource("annotation") / "compose.yaml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def compose(text: str) -> dict[str, Any]:
    return yaml.safe_load(text)  # type: ignore[no-any-return]


def test_the_whole_of_argilla_is_there_in_pinned_versions(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert set(services) == {"argilla", "worker", "elasticsearch", "redis", "postgres"}
    for service in services.values():
        assert re.search(r":v?\d+\.\d+", service["image"])
    assert services["argilla"]["image"] == services["worker"]["image"] == "argilla/argilla-server:v2.8.0"


def test_every_secret_comes_from_the_environment_and_is_asked_for_by_name(compose: dict[str, Any], text: str) -> None:
    assert set(re.findall(r"\$\{(\w+):\?[^}]+\}", text)) == SECRETS
    for service in compose["services"].values():
        for name, value in service.get("environment", {}).items():
            if re.search("PASSWORD|KEY|DATABASE_URL", name):
                assert ":?" in value


def test_only_the_servers_port_is_published_on_loopback_unless_told(compose: dict[str, Any]) -> None:
    published = {name: service["ports"] for name, service in compose["services"].items() if "ports" in service}
    assert published == {"argilla": ["${ARGILLA_HOST:-127.0.0.1}:${ARGILLA_PORT:-6900}:6900"]}
    assert compose["networks"]["back"]["internal"] is True
    for name, service in compose["services"].items():
        assert service["networks"] == (["front", "back"] if name == "argilla" else ["back"])


def test_all_are_looked_after_and_what_they_hold_is_kept(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        assert service["healthcheck"]["test"][0] == "CMD"
        assert service["restart"] == "unless-stopped"
    kept = {service["volumes"][0].split(":")[0] for service in compose["services"].values() if "volumes" in service}
    assert kept == set(compose["volumes"]) == {"argilla", "elasticsearch", "redis", "postgres"}


def test_telemetry_is_off(compose: dict[str, Any]) -> None:
    for name in ("argilla", "worker"):
        assert compose["services"][name]["environment"]["HF_HUB_DISABLE_TELEMETRY"] == "1"
