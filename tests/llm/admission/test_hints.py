"""What headers say, and that nonsense says nothing."""

from __future__ import annotations

import email.utils
import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.llm.admission import Allowance, Hints, hints_of, seconds_of

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("1.5", 1.5),
        (" 20 ", 20.0),
        ("20ms", 0.02),
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("1h2m3.5s", 3723.5),
        ("1d", 86400.0),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("2026-03-01T12:01:00Z", 60.0),
        ("2026-03-01T14:01:00+02:00", 60.0),
        ("2026-03-01t12:00:00.5z", 0.5),
    ],
)
def test_a_wait_is_read_in_every_spelling(value: str, seconds: float) -> None:
    assert seconds_of(value, NOW) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "value",
    [None, "", "soon", "-1", "nan", "inf", "1e400", "1_000", "٣", "5 m", "m5", "2026-03-01T12:01:00", "9" * 400],
)
def test_what_is_no_wait_is_null(value: str | None) -> None:
    assert seconds_of(value, NOW) is None


@given(st.text(max_size=40) | st.from_regex(r"[0-9dhmsun.:TZ+\-GMT, ]{0,40}", fullmatch=True))
def test_no_text_breaks_the_reader_or_gives_a_wait_that_is_none(value: str) -> None:
    seconds = seconds_of(value, NOW)
    assert seconds is None or (seconds >= 0 and math.isfinite(seconds))


@given(st.integers(0, 86_400), st.integers(-12, 12))
def test_a_date_counts_from_now_in_any_time_zone(seconds: int, hours: int) -> None:
    date = datetime.fromtimestamp(NOW + seconds, timezone(timedelta(hours=hours)))
    assert seconds_of(date.isoformat(), NOW) == seconds
    assert seconds_of(email.utils.format_datetime(date), NOW) == seconds


@given(st.integers(0, 23), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999))
def test_a_duration_is_the_sum_of_its_parts(hours: int, minutes: int, seconds: int, milliseconds: int) -> None:
    value = f"{hours}h{minutes}m{seconds}s{milliseconds}ms"
    assert seconds_of(value, NOW) == pytest.approx(3600 * hours + 60 * minutes + seconds + milliseconds / 1000)


NAMES = st.sampled_from(
    [
        f"{prefix}{family}"
        for prefix in ("", "llm_provider-")
        for kind in ("requests", "tokens", "input-tokens", "output-tokens")
        for part in ("limit", "remaining", "reset")
        for family in (f"x-ratelimit-{part}-{kind}", f"anthropic-ratelimit-{kind}-{part}")
    ]
    + ["retry-after", "retry-after-ms"]
)


@given(st.dictionaries(NAMES, st.text(max_size=30) | st.integers().map(str)))
def test_no_headers_break_the_reader(headers: dict[str, str]) -> None:
    hints = hints_of(headers, NOW)
    for allowance in (hints.requests, hints.tokens):
        assert allowance is None or allowance.remaining is None or allowance.remaining >= 0


def test_headers_of_openai_are_read_behind_litellms_prefix_and_in_any_case() -> None:
    headers = {
        "llm_provider-X-RateLimit-Limit-Requests": "500",
        "llm_provider-x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "120ms",
        "X-RATELIMIT-REMAINING-TOKENS": "199",
        "x-ratelimit-reset-tokens": "6m0s",
        "Retry-After": "3",
    }
    assert hints_of(headers, NOW) == Hints(Allowance(500, 0, 0.12), Allowance(None, 199, 360.0), 3.0)


def test_the_tightest_of_anthropics_token_limits_counts() -> None:
    headers = {
        "anthropic-ratelimit-tokens-remaining": "5000",
        "anthropic-ratelimit-tokens-reset": "2026-03-01T12:00:10Z",
        "anthropic-ratelimit-output-tokens-limit": "8000",
        "anthropic-ratelimit-output-tokens-remaining": "40",
        "anthropic-ratelimit-output-tokens-reset": "2026-03-01T12:00:20Z",
    }
    assert hints_of(headers, NOW) == Hints(tokens=Allowance(8000, 40, 20.0))


def test_milliseconds_to_wait_are_finer_than_seconds() -> None:
    assert hints_of({"retry-after": "1", "retry-after-ms": "250"}, NOW).retry_after == 0.25


def test_headers_that_say_nothing_give_no_hints() -> None:
    assert hints_of({"x-ratelimit-remaining-requests": "many", "date": "today"}, NOW) == Hints()


@pytest.mark.parametrize("value", ["1e12", "999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT", "99999h"])
def test_no_server_makes_us_wait_longer_than_a_day(value: str) -> None:
    assert (seconds_of(value, NOW) or 0) <= 86_400
