"""What has to hold before the data is published."""

from __future__ import annotations

from prbgen.recipe import ValidationSettings
from prbgen.validation.report import Figure, Gate, GateState, Portrait

_TINY = 1e-9


def gates(rated: Portrait, validated: Portrait, settings: ValidationSettings, simulated: bool) -> tuple[Gate, ...]:
    """The gates, each with its state and a sentence with its figures.

    "equivalence" is the primary test, on all rated pairs; "balance" is about rated and about validated pairs;
    "validated" asks that there are any, "simulated" that no round is.
    """
    return (_equivalence(rated), _balance(rated, validated, settings), _validated(rated, validated), _real(simulated))


def _equivalence(rated: Portrait) -> Gate:
    test, gap = rated.equivalence, rated.quality_gap
    if gap.value is None:
        return Gate(name="equivalence", state="unknown", said=f"equal general quality is not tested: {test.reason}")
    less = f"general quality of chosen less that of rejected is {_signed(gap.value, 2)} marks"
    over = f"{less} over {_count(gap.n, 'rated pair')}"
    if test.p is None or test.ci90 is None:
        # However sure, a mean beyond the margin is never equivalent.
        beyond = abs(gap.value) >= test.margin - _TINY
        state: GateState = "fail" if beyond else "unknown"
        said = f"{over}; {test.reason}" + (f", but that is beyond the margin of {test.margin:g}" if beyond else "")
        return Gate(name="equivalence", state=state, said=said)
    low, high = test.ci90
    said = (
        f"{over} of {_count(test.users, 'user')} (90 % interval {_signed(low, 2)} to {_signed(high, 2)}): "
        f"{'equal' if test.equivalent else 'not shown to be equal'} within {test.margin:g} (p {_p(test.p)})"
    )
    return Gate(name="equivalence", state="pass" if test.equivalent else "fail", said=said)


def _balance(rated: Portrait, validated: Portrait, settings: ValidationSettings) -> Gate:
    sets = (("rated", rated.balance), ("validated", validated.balance))
    states = {_within(figure, settings.balance) for _, figure in sets}
    state: GateState = "fail" if "fail" in states else "unknown" if "unknown" in states else "pass"
    told = "; ".join(_told(name, figure, settings.balance) for name, figure in sets)
    said = f"share of pairs whose chosen answer was rated better, less that of rejected: {told}"
    return Gate(name="balance", state=state, said=said)


def _within(figure: Figure, limit: float) -> GateState:
    if figure.value is None:
        return "unknown"
    return "fail" if abs(figure.value) > limit + _TINY else "pass"


def _told(name: str, figure: Figure, limit: float) -> str:
    if figure.value is None:
        return f"of {name} pairs not known ({figure.reason})"
    said = f"{_signed(figure.value, 3)} of {_count(figure.n, f'{name} pair')}"
    if figure.ci95:
        said += f" (95 % interval {_signed(figure.ci95[0], 3)} to {_signed(figure.ci95[1], 3)})"
    if _within(figure, limit) == "fail":
        return f"{said}, beyond +-{limit:g}"
    if figure.ci95 and max(map(abs, figure.ci95)) > limit + _TINY:
        return f"{said}, within +-{limit:g}, though its interval reaches beyond"
    return f"{said}, within +-{limit:g}"


def _validated(rated: Portrait, validated: Portrait) -> Gate:
    state: GateState = "pass" if validated.pairs else "fail"
    said = f"{f'{validated.pairs:,}' if validated.pairs else 'none'} of {_count(rated.pairs, 'rated pair')} validated"
    return Gate(name="validated", state=state, said=said)


def _real(simulated: bool) -> Gate:
    if simulated:
        return Gate(name="simulated", state="fail", said="ratings are simulated: programs made them, not people")
    return Gate(name="simulated", state="pass", said="no round is marked as simulated")


def _signed(value: float, digits: int) -> str:
    # Adding a zero makes -0.00 a +0.00.
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def _p(p: float) -> str:
    return "below 0.001" if p < 0.001 else f"= {p:.3f}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
