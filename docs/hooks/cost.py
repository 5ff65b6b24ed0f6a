"""What 10 thousand, 1 million and 100 million pairs take, from measured figures.

    python docs/hooks/cost.py             prints the tables of docs/cost.md
    python docs/hooks/cost.py --write     renews them in the page

Change the figures here to calculate with your own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[1] / "cost.md"
BEGIN, END = "<!-- printed by docs/hooks/cost.py -->\n", "<!-- end -->\n"
SIZES = {"10 thousand": 10_000, "1 million": 1_000_000, "100 million": 100_000_000}
# Days that all of it may take, share of its CPU that a worker gets out of a core, seconds until a reply.
DAYS, BUSY, LATENCY = 1.0, 0.7, 2.0


@dataclass(frozen=True)
class Stage:
    """A kind of call for one pair, as `prbgen estimate` says: low, high. `usd` by the providers' list prices."""

    name: str
    model: str
    calls: tuple[float, float]
    prompt_tokens: tuple[float, float]
    reply_tokens: tuple[float, float]
    usd: tuple[float, float]


@dataclass(frozen=True)
class Measured:
    """A figure, its unit, and where it is from."""

    name: str
    value: float
    unit: str
    origin: str


_A_PAIR = "cost_of_a_pair.py, 200 pairs"
STAGES = (
    Stage("answer", "openai/gpt-4o-mini", (2, 2.78), (6066, 8776), (153, 518), (0.00100, 0.00163)),
    Stage("quality", "anthropic/claude-haiku-4-5", (2, 3.34), (1115, 2776), (38, 213), (0.00130, 0.00384)),
    Stage("coverage", "anthropic/claude-haiku-4-5", (2, 3.34), (2037, 5095), (119, 669), (0.00263, 0.00844)),
)
CPU_A_CALL = Measured("CPU a call, with its line in the ledger", 11.5, "ms", _A_PAIR)
CPU_A_PAIR = Measured("CPU a pair without its calls: read, rank, check, write, stage", 28.3, "ms", _A_PAIR)
PAIR_BYTES = Measured("`pairs.jsonl`, a pair with its 120 posts", 144_343, "B", _A_PAIR)
CALL_BYTES = Measured("`ledger.sqlite`, a call", 610, "B", _A_PAIR)
DATASET_BYTES = Measured("`dataset/` (Parquet), a pair", 15_247, "B", _A_PAIR)
REPLY_MEMORY = Measured("memory of the driver, a reply on record", 0.9, "KB", "engine.py e, 100,000 replies")
REPLY_SECONDS = Measured("time to take a reply from the record", 0.1, "ms", "engine.py d, 100,000 replies")
RAY_A_CALL = Measured(
    "CPU of the driver a call, where workers make it (`--ray`)", 4.1, "ms", "ray_overhead.py, 1,280 calls"
)
MEASURED = [CPU_A_CALL, RAY_A_CALL, CPU_A_PAIR, PAIR_BYTES, CALL_BYTES, DATASET_BYTES, REPLY_MEMORY, REPLY_SECONDS]


def tables() -> str:
    """All tables, in Markdown."""
    return "\n".join([_stages(), _inputs(), _sizes()])


def _stages() -> str:
    counts = ("calls", "prompt_tokens", "reply_tokens")
    rows = [
        (each.name, each.model, *(_range(getattr(each, what)) for what in counts), _usd(each.usd)) for each in STAGES
    ]
    total = ("**a pair**", "", *(_range(_sum(what)) for what in counts), _usd(_sum("usd")))
    return _table(
        "A pair, low to high", ("stage", "model", "calls", "prompt tokens", "reply tokens", "USD"), [*rows, total]
    )


def _inputs() -> str:
    rows = [(each.name, f"{each.value:,g} {each.unit}", f"`{each.origin}`") for each in MEASURED]
    return _table("What is measured", ("what", "figure", "by"), rows)


def _sizes() -> str:
    rows = {what: [what] for what in _of(1)}
    for pairs in SIZES.values():
        for what, value in _of(pairs).items():
            rows[what].append(value)
    return _table("What it comes to", ("", *(f"{name} pairs" for name in SIZES)), rows.values())


def _of(pairs: int) -> dict[str, str]:
    calls, usd = _sum("calls"), _sum("usd")
    second = [pairs * each / (DAYS * 86_400) for each in calls]
    driver = [pairs * (CPU_A_PAIR.value + each * RAY_A_CALL.value) / 1000 for each in calls]
    alone = [pairs * (CPU_A_PAIR.value + each * CPU_A_CALL.value) / 1000 for each in calls]
    tokens = [pairs * sum(both) for both in zip(_sum("prompt_tokens"), _sum("reply_tokens"), strict=True)]
    disk = pairs * (PAIR_BYTES.value + DATASET_BYTES.value + calls[1] * CALL_BYTES.value)
    return {
        "calls": _range([pairs * each for each in calls]),
        "tokens": _range(tokens),
        "USD": _usd([pairs * each for each in usd]),
        "USD with `--batch`": _usd([pairs * each / 2 for each in usd]),
        "disk": _bytes(disk),
        "memory to go on with all of it": _bytes(pairs * calls[1] * REPLY_MEMORY.value * 1000),
        "one process, all of it": _time(alone),
        "the driver alone, workers do the calls": _time(driver),
        f"to be done in {DAYS:g} day: calls a second": _range(second),
        f"... in flight, at {LATENCY:g} s a reply": _range([each * LATENCY for each in second]),
        "... cores for calls": _range([_up(each * CPU_A_CALL.value / 1000 / BUSY) for each in second]),
        "... drivers, each with a run of its own": _range([_up(each / 86_400 / DAYS / BUSY) for each in driver]),
    }


def _sum(what: str) -> tuple[float, float]:
    low, high = zip(*(getattr(stage, what) for stage in STAGES), strict=True)
    return sum(low), sum(high)


def _up(value: float) -> int:
    return max(1, -int(-value // 1))


def _range(values: Sequence[float]) -> str:
    low, high = (_number(each) for each in values)
    return low if low == high else f"{low} - {high}"


def _number(value: float) -> str:
    for size, name in ((1e12, " trillion"), (1e9, " billion"), (1e6, " million")):
        if value >= size:
            return f"{value / size:.3g}{name}"
    return f"{value:,.0f}" if value >= 10 else f"{value:.3g}"


def _usd(values: Sequence[float]) -> str:
    low, high = (f"{each:,.0f}" if each >= 10 else f"{each:.4f}" for each in values)
    return f"{low} - {high}"


def _bytes(value: float) -> str:
    for size, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if value >= size:
            return f"{value / size:.3g} {name}"
    return f"{value / 1e3:.3g} KB"


def _time(seconds: Sequence[float]) -> str:
    return f"{_hours(seconds[0])} - {_hours(seconds[1])}"


def _hours(seconds: float) -> str:
    for size, name in ((86_400.0, "days"), (3_600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {name}"
    return f"{seconds:.0f} s"


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(each)} |" for each in (heads, ["---"] * len(heads), *rows)]
    return "\n".join([f"### {title}", "", *lines, ""])


def shown(page: str) -> str:
    """What stands in the page between the marks."""
    return page.partition(BEGIN)[2].partition(END)[0]


def main() -> None:
    """Print the tables, or put them into the page."""
    if sys.argv[1:] != ["--write"]:
        print(tables(), end="")
        return
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}{tables()}{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
