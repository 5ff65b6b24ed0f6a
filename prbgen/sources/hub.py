"""Datasets on the Hugging Face Hub: what they hold, and a copy of the files that are asked for in the Hub's cache."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prbgen.errors import InputError
from prbgen.sources.declared import readme_header
from prbgen.sources.files import DataFile, choose_files
from prbgen.sources.names import Selection

_README = "README.md"


def fetch_files(repo: str, selection: Selection) -> tuple[Path, list[DataFile]]:
    """Bring the files of these subsets and this split into the cache, and no others.

    The files are then read like any others: `datasets.load_dataset` would bring all splits, hold a JSON array as a
    whole in memory and give up at the first row of another type. What is cached already is not fetched again; with
    HF_HUB_OFFLINE=1 the network is not used at all.

    Returns:
        The folder of the copy, and the files in it that are to be read.

    Raises:
        InputError: there is no such dataset, subset or split, or the Hub cannot be reached.
    """
    from huggingface_hub import hf_hub_download, snapshot_download

    with _one_line_errors(repo):
        names = _names(repo)
        readme = hf_hub_download(repo, _README, repo_type="dataset") if _README in names else ""
    files = choose_files(names, readme_header(Path(readme)), repo.split("/")[-1], selection, repo)
    wanted = [glob.escape(name) for name in (_README, *(file.name for file in files))]
    with _one_line_errors(repo):
        return Path(snapshot_download(repo, repo_type="dataset", allow_patterns=wanted)), files


def names_on_hub(repo: str) -> list[str]:
    """All files of a dataset, sorted.

    Raises:
        InputError: there is no such dataset, or the Hub cannot be reached.
    """
    with _one_line_errors(repo):
        return _names(repo)


def fetch_file(repo: str, name: str) -> Path:
    """Bring one file into the cache, and no other but the README; gives back where it is.

    Raises:
        InputError: there is no such dataset, or the Hub cannot be reached.
    """
    from huggingface_hub import snapshot_download

    wanted = [glob.escape(each) for each in (_README, name)]
    with _one_line_errors(repo):
        return Path(snapshot_download(repo, repo_type="dataset", allow_patterns=wanted)) / name


def _names(repo: str) -> list[str]:
    """All files of a dataset: as they are on the Hub, or offline as they were when it was last fetched from."""
    from huggingface_hub import HfApi, constants, get_cached_repo_tree

    if constants.HF_HUB_OFFLINE:
        return sorted(file.path for file in get_cached_repo_tree(repo, repo_type="dataset"))
    return sorted(file.rfilename for file in HfApi().dataset_info(repo).siblings or ())


@contextmanager
def _one_line_errors(repo: str) -> Iterator[None]:
    """Say in one line what an error of the client means for the user."""
    from huggingface_hub import constants, errors

    try:
        yield
    except errors.GatedRepoError:
        what = "access must be asked for on its page on the Hub; then log in with `hf auth login`"
        raise InputError(f"{repo}: {what}") from None
    except (errors.RepositoryNotFoundError, errors.HFValidationError):
        what = "no such file or folder, and no such dataset on the Hub (a private one needs `hf auth login`)"
        raise InputError(f"{repo}: {what}") from None
    except Exception as error:  # each version of the client raises the errors of another HTTP library
        if constants.HF_HUB_OFFLINE:
            what = "what is asked for was never fetched, and HF_HUB_OFFLINE forbids to fetch it now: unset it once"
            raise InputError(f"{repo}: {what}") from None
        reason = str(error).partition("\n")[0] or type(error).__name__
        what = f"no such file or folder, and the Hub at {constants.ENDPOINT} cannot be used ({reason})"
        more = "try again later, or set HF_HUB_OFFLINE=1 to use what was fetched before"
        raise InputError(f"{repo}: {what}: {more}") from None
