"""What a dataset card is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from prbgen.publication.audited import Audited
from prbgen.publication.figures import Figures
from prbgen.publication.info import ConfigInfo
from prbgen.publication.plots import Plot
from prbgen.publication.ratings import RatingsWritten
from prbgen.recipe import PublicationSettings
from prbgen.validation.report import Gate
from prbgen.validation.validation import Validation

NOT_STATED = PublicationSettings()

Origin = Literal["lamp-qa", "samples", "other"]


@dataclass(frozen=True)
class Result:
    """How often a scorer preferred `chosen` under a condition; null is what is not known.

    `accuracy` is of the `scored` pairs alone; `config` and `split` say of which part of the dataset.
    """

    scorer: str
    condition: str
    accuracy: float | None
    ci95: tuple[float, float] | None
    scored: int | None
    unscored: int | None
    config: str | None = None
    split: str | None = None


@dataclass(frozen=True)
class Facts:
    """All that a card template may say.

    `digest` is over the data. Null or empty: there is no audit, nobody has rated the pairs, no results, no plots, no
    ratings file. `infos` are the configs as written; `gates` what has to hold before this is published, and whether it
    does; `personal` where something looks like personal data (column, kind, pairs; null: nobody has looked); `script`
    and `citation` tell whether evaluate.py and CITATION.cff lie beside the card.
    """

    figures: Figures
    origin: Origin
    digest: str
    audit: Audited | None = None
    validation: Validation | None = None
    publication: PublicationSettings = NOT_STATED
    results: tuple[Result, ...] = ()
    infos: tuple[ConfigInfo, ...] = ()
    plots: tuple[Plot, ...] = ()
    ratings: RatingsWritten | None = None
    gates: tuple[Gate, ...] = ()
    personal: tuple[tuple[str, str, int], ...] | None = None
    script: bool = False
    citation: bool = False
