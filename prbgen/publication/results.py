"""What reward models reach on a dataset, for its card."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError, model_validator

from prbgen.errors import InputError
from prbgen.publication.facts import Result
from prbgen.sizes import read_whole

Share = Annotated[float, Field(ge=0, le=1)]


class _Accuracy(BaseModel):
    model_config = ConfigDict(allow_inf_nan=False)

    value: Share | None
    ci95: tuple[Share, Share] | None = None


class _Item(BaseModel):
    """What was found on a pair; null if the data that was scored had no pair_ids."""

    pair_id: str | None = None


class _Summary(BaseModel):
    """`n` counts all pairs that were given to the scorer, accuracies are of those that it scored."""

    scorer: str
    condition: str
    n: NonNegativeInt
    unscored: NonNegativeInt | None = None
    accuracy: _Accuracy
    config: str | None = None
    split: str | None = None
    items: tuple[_Item, ...] = ()

    @model_validator(mode="after")
    def _no_more_than_all(self) -> Self:
        if self.unscored is not None and self.unscored > self.n:
            raise ValueError("more pairs are unscored than there are")
        return self


def read_results(path: Path, published: Collection[str]) -> Result:
    """The summary in a file that evaluate.py has written, or in a folder of results.

    Args:
        path: The folder, with items.jsonl beside summary.json, or the file.
        published: The pair_ids that results may be about. Where they name none, this cannot be told and is not asked.

    Raises:
        InputError: there are none, they are no results, or they are about pairs that are not published.
    """
    file = path / "summary.json" if path.is_dir() else path
    try:
        summary = _Summary.model_validate_json(read_whole(file))
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}; --results takes what evaluate.py has written") from None
    except ValidationError as error:
        raise InputError(f"{file}: not a summary of results ({_fault(error)})") from None
    _check_pairs(path, (*summary.items, *_items(file.with_name("items.jsonl") if path.is_dir() else None)), published)
    return Result(
        scorer=summary.scorer,
        condition=summary.condition,
        accuracy=summary.accuracy.value,
        ci95=summary.accuracy.ci95,
        scored=None if summary.unscored is None else summary.n - summary.unscored,
        unscored=summary.unscored,
        config=summary.config,
        split=summary.split,
    )


def _items(file: Path | None) -> Iterable[_Item]:
    if file is None or not file.exists():
        return ()
    try:
        lines = read_whole(file).splitlines()
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from None
    return [_item(line, f"{file}: line {number}") for number, line in enumerate(lines, start=1)]


def _item(line: bytes, where: str) -> _Item:
    try:
        return _Item.model_validate_json(line)
    except ValidationError as error:
        raise InputError(f"{where} is not about a pair ({_fault(error)})") from None


def _check_pairs(path: Path, items: Iterable[_Item], published: Collection[str]) -> None:
    named = dict.fromkeys(item.pair_id for item in items if item.pair_id is not None)
    if others := [name for name in named if name not in published]:
        raise InputError(
            f"{path}: results on another dataset: {len(others)} of its {len(named)} pairs are not among those that are"
            f" published, as {others[0]!r}; evaluate on these pairs, or leave out --results {path}"
        )


def _fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    where = ".".join(map(str, fault["loc"])) or "the file"
    return f"{where}: {fault['msg']}"
