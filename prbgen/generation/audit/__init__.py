"""Can somebody who sees neither user nor question tell chosen from rejected? And what else a set of pairs holds."""

from prbgen.generation.audit.audit import audit
from prbgen.generation.audit.results import Audit

__all__ = ["Audit", "audit"]
