"""What an error of the Hub's client, or of transformers, means for the user, in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prbgen.errors import InputError, PrbgenError
from prbgen.llm.cleaning import cleaned_line


@contextmanager
def one_line_errors(model: str, revision: str) -> Iterator[None]:
    """Say in one line what is wrong with a model.

    Raises:
        InputError: whatever is raised within.
    """
    try:
        yield
    except PrbgenError:
        raise
    except Exception as error:  # transformers and the Hub's client raise all kinds, each version its own
        raise InputError(f"{model}: {_meaning(error, model, revision)}") from None


def _meaning(error: Exception, model: str, revision: str) -> str:
    from huggingface_hub import constants, errors

    causes = list(_causes(error))
    said = cleaned_line(error) or type(error).__name__

    def caused(*kinds: type[BaseException]) -> bool:
        return any(isinstance(each, kinds) for each in causes)

    if "trust_remote_code" in str(error):
        return (
            "comes with code of its own, which is not run; if you trust it: --trust-remote-code (evaluate, bon score)"
        )
    if caused(errors.GatedRepoError):
        return "access must be asked for on its page on the Hub; then log in with `hf auth login`"
    if caused(errors.RevisionNotFoundError):
        return f"has no revision {revision!r} on the Hub"
    if Path(model).is_dir():
        return f"the folder holds no model that transformers can load ({said})"
    if caused(errors.RepositoryNotFoundError, errors.HFValidationError):
        return "no such folder, and no such model on the Hub (a private one needs `hf auth login`)"
    if constants.HF_HUB_OFFLINE and caused(errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled, OSError):
        return "was never fetched, and HF_HUB_OFFLINE forbids to fetch it now: unset it once"
    if caused(errors.LocalEntryNotFoundError, ConnectionError, TimeoutError):
        what = f"no such folder, and the Hub at {constants.ENDPOINT} cannot be reached"
        return f"{what}: try again later, or set HF_HUB_OFFLINE=1 to use what was fetched before"
    return f"cannot be loaded ({said})"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
