"""What was published from a run before: RUN/published.json."""

from __future__ import annotations

from pydantic import ValidationError

from prbgen.errors import InputError
from prbgen.publication.hub import Published
from prbgen.run import Run, whole_file
from prbgen.schema import Record


class _Pushes(Record):
    pushes: tuple[Published, ...] = ()


class Past:
    """The latest push to each dataset on the Hub.

    Raises:
        InputError: the file is not as it was written.
    """

    def __init__(self, run: Run) -> None:
        self._path = run.folder / "published.json"
        try:
            self._pushes = _Pushes.model_validate_json(self._path.read_bytes()).pushes
        except FileNotFoundError:
            self._pushes = ()
        except (OSError, ValidationError):
            raise InputError(
                f"{self._path}: not as it was written; restore it, or remove it and name the commit on the Hub that is"
                " yours with --onto"
            ) from None

    def of(self, repo: str) -> Published | None:
        """The latest push to a dataset at the Hub that is in use; null if there was none."""
        from huggingface_hub import constants

        return next((each for each in self._pushes if (each.endpoint, each.repo) == (constants.ENDPOINT, repo)), None)

    def note(self, published: Published) -> None:
        """Keep a push in place of the one before.

        Raises:
            PrbgenError: the disk refuses.
        """
        others = [each for each in self._pushes if (each.endpoint, each.repo) != (published.endpoint, published.repo)]
        self._pushes = (*others, published)
        with whole_file(self._path) as file:
            file.write(_Pushes(pushes=self._pushes).model_dump_json(indent=2) + "\n")
