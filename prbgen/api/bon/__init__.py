"""Best-of-N, action by action: `prbgen bon sample`, `score`, `judge`, `curve`."""

from prbgen.api.bon.curves import DrawnCurves, curve
from prbgen.api.bon.judging import JudgedCandidates, estimate, judge
from prbgen.api.bon.sampling import SampledCandidates, sample
from prbgen.api.bon.scoring import ScoredCandidates, score

__all__ = [
    "DrawnCurves",
    "JudgedCandidates",
    "SampledCandidates",
    "ScoredCandidates",
    "curve",
    "estimate",
    "judge",
    "sample",
    "score",
]
