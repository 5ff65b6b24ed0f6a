import pytest

from prbgen.publication.audited import Audited, AuditedShortcut
from prbgen.publication.leaving.audit import audit_gate


@pytest.mark.parametrize(("verdict", "state"), [("clean", "pass"), ("leaks", "fail"), ("unclear", "unknown")])
def test_the_verdict_decides(verdict: str, state: str) -> None:
    shortcut = {
        "length": AuditedShortcut(accuracy=0.512, ci95=(0.48, 0.54)),
        "embedding": AuditedShortcut(accuracy=None, ci95=None),
    }
    gate = audit_gate(Audited.model_validate({"data": "9f86", "verdict": verdict, "shortcut": shortcut}))
    assert (gate.name, gate.state) == ("audit", state)
    assert "(accuracy: length 0.512)" in gate.said


def test_no_audit_is_not_known_and_says_what_to_do() -> None:
    gate = audit_gate(None)
    assert (gate.name, gate.state, gate.said) == ("audit", "unknown", "not audited: prbgen audit RUN")
