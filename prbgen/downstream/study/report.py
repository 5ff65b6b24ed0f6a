"""The report of a study: one page that opens anywhere, and the same for programs."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.downstream.best_of_n.standing import ranked
from prbgen.downstream.correlate.coefficients import titles
from prbgen.downstream.study.origins import origins_of, versions_in
from prbgen.downstream.study.study import Studied
from prbgen.evaluation.report.document import document as leaderboards
from prbgen.evaluation.report.files import write_report
from prbgen.evaluation.report.page import rendered
from prbgen.run import whole_file

if TYPE_CHECKING:
    from markupsafe import Markup

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class _Drawings:
    """Plots as addresses that hold them whole; null where there is none."""

    curves: Markup | None
    correlations: Markup | None


def write_study(studied: Studied) -> None:
    """Write study.html, study.json, and the leaderboards below report/."""
    folder, origins = studied.folder, origins_of(studied)
    drawings = _Drawings(_drawing(_curve(studied)), _drawing(folder.correlation / "correlation.svg"))
    page = rendered(
        "study.html.j2",
        studied.report,
        _HERE,
        studied=studied,
        drawings=drawings,
        curves=ranked(studied.curves) if studied.curves else (),
        origins=origins,
        versions=versions_in(origins),
        metrics=titles(),
    )
    texts = {
        folder.page: page,
        folder.document: json.dumps(document(studied), indent=2, ensure_ascii=False) + "\n",
    }
    write_report(studied.report, folder.tables)
    for path, text in texts.items():
        with whole_file(path) as file:
            file.write(text)


def document(studied: Studied) -> dict[str, Any]:
    """All that the page shows; what is not known is null."""
    curves, correlations, origins = studied.curves, studied.correlations, origins_of(studied)
    return {
        "evaluations": leaderboards(studied.report),
        "best_of_n": curves and curves.model_dump(mode="json"),
        "correlations": correlations and correlations.model_dump(mode="json"),
        "uncorrelated": studied.uncorrelated,
        "failed": studied.failed,
        "short": studied.short,
        "study": studied.study.model_dump(mode="json", exclude_none=True),
        "versions": versions_in(origins),
        "origins": [asdict(each) for each in origins],
    }


def _curve(studied: Studied) -> Path | None:
    return studied.judged.plot if studied.judged else None


def _drawing(path: Path | None) -> Markup | None:
    from markupsafe import Markup

    if path is None or not path.is_file():
        return None
    # Nothing to escape in it; what is no markup would be shortened.
    return Markup(f"data:image/svg+xml;base64,{b64encode(path.read_bytes()).decode()}")  # noqa: S704
