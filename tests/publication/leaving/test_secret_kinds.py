from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.publication.leaving.secret_kinds import likenesses

# Put together here, so that nothing in this file is mistaken for one.
A, B, C = "Ab1C", "0f9e", "q7"
KINDS = {
    "hf_" + A * 9: "Hugging Face token",
    "api_org_" + A * 9: "Hugging Face token",
    "sk-ant-" + "api03-" + A * 20: "Anthropic key",
    "sk-" + "proj-" + A * 20: "key of a model provider",
    "sk-" + "or-v1-" + B * 16: "key of a model provider",
    "AIza" + (A * 9)[:35]: "Google key",
    "gsk_" + A * 13: "Groq or xAI key",
    "npm_" + A * 9: "npm token",
    "//registry.example.org/:_authToken=" + B * 9: "npm token",
    "github_pat_" + A * 10: "GitHub token",
    "-----BEGIN " + "OPENSSH PRIVATE KEY-----": "Private Key",
    "-----BEGIN " + "ENCRYPTED PRIVATE KEY-----": "Private Key",
    "https://me:" + "hunter22@build.example.org/": "password in an address",
    "redis://:" + "hunter22@10.0.0.1:6379": "password in an address",
    "AKIA" + "Z0Y1X2W3V4U5T6S7": "AWS Access Key",
    "ghp_" + A * 9: "GitHub Token",
    "glpat-" + A * 5: "GitLab Token",
    "xoxb-" + "1234-abcd": "Slack Token",
    "sk_live_" + A * 6: "Stripe Access Key",
    "AccountKey=" + A * 22: "Azure Storage Account access key",
    "SG." + (A * 6)[:22] + "." + (A * 11)[:43]: "SendGrid API Key",
    "pypi-AgEIcHlwaS5vcmc" + A * 18: "PyPI Token",
    "123456789:" + (A * 9)[:35]: "Telegram Bot Token",
    "AC" + B * 8: "Twilio API Key",
    "sq0csp-" + (A * 11)[:43]: "Square OAuth Secret",
    B * 8 + "-us12": "Mailchimp Access Key",
    "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxIn0." + "c2ln": "JSON Web Token",
}
PROSE = [
    "The password: I keep forgetting it! My secret = patience, and the key is practice.",
    "Our vet says AKCregistered dogs and APARTMENTHOUSES do not mix.",
    "https://en.wikipedia.org/wiki/File:Some_Long_Picture_Name_of_2019@2x.png",
    "See https://medium.com/@someone/a-very-long-slug-with-many-words-and-0123456789abcdef",
    "http://user:password@host is how one writes it, or https://{user}:{token}@host, ftp://you:xxxx@there",
    "Pneumonoultramicroscopicsilicovolcanoconiosis, donaudampfschifffahrtsgesellschaft",
    "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "pip install 'prbgen==1.0'; export HF_TOKEN=hf_...; OPENAI_API_KEY=sk-...",
    "task-oriented-dialogue-systems-and-their-evaluation-in-2019, risk-averse-people-of-the-21st-century-and-more",
    "10.0.0.1, 8.8.8.8, 550e8400-e29b-41d4-a716-446655440000",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAIza" + "Q7" * 30 + "sk" + "A1b2" * 30,
    "iban DE89370400440532013000, isbn 9780306406157, order 112-7654321-7654321",
]  # fmt: skip


@pytest.mark.parametrize(("secret", "kind"), KINDS.items())
def test_a_secret_is_told_with_four_characters_at_most(secret: str, kind: str) -> None:
    for text in (secret, f"Look: {secret}\nand so on", f'{{"key": "{secret}"}}', f"first\n\n  ({secret})"):
        found = likenesses(text)
        assert kind in {each.kind for each in found}
        assert all(len(each.begins) <= 4 for each in found)


@pytest.mark.parametrize("text", PROSE)
def test_what_people_write_is_no_secret(text: str) -> None:
    assert likenesses(text) == ()


@given(st.text(), st.sampled_from(sorted(KINDS)), st.text())
def test_whatever_stands_around_it_a_secret_is_found(before: str, secret: str, after: str) -> None:
    assert KINDS[secret] in {each.kind for each in likenesses(f"{before}\n{secret} {after}")}


def test_a_line_that_asks_to_be_passed_over_is_not() -> None:
    assert likenesses(f"{next(iter(KINDS))}  # pragma: allowlist secret")


def test_one_secret_is_told_once() -> None:
    assert len(likenesses("\n".join([next(iter(KINDS))] * 3))) == 1


@pytest.mark.parametrize(
    "piece", ["a", "sk-", "eyJ", "://a:", "BEGIN ", "aws key ", "AIza", "xoxb-1-", "//a", "@", "cl_key:"]
)
def test_the_time_grows_no_faster_than_the_text(piece: str) -> None:
    """A pattern that tries again from each place takes minutes here."""
    start = time.process_time()
    likenesses(piece * (40_000 // len(piece)))
    assert time.process_time() - start < 20
