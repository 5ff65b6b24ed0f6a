"""Can somebody who sees neither user nor question tell chosen from rejected? And what else a set of pairs holds."""

from prbgen.generate.audit.audit import audit
from prbgen.generate.audit.results import Audit

__all__ = ["Audit", "audit"]
