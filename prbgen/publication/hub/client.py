"""One dataset on the Hub through `huggingface_hub`: the few calls that a push needs, in our own terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from prbgen.errors import InputError
from prbgen.publication.hub.faults import status
from prbgen.publication.hub.files import Changes, There
from prbgen.publication.hub.patience import patiently

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, Discussion, HfApi

_KIND = "dataset"
_MAIN = "main"


class MovedError(Exception):
    """The branch has another head than the commit that was to be built on."""


@dataclass(frozen=True)
class Head:
    """The main branch as it was when it was looked at; `files` by name, `tags` with the commit of each."""

    commit: str
    private: bool
    files: Mapping[str, There]
    tags: Mapping[str, str]


@dataclass(frozen=True)
class Made:
    """A new commit; `pull_request` is the address of the one that was opened for it."""

    commit: str
    pull_request: str | None


class Client:
    """Calls about one dataset. They raise the errors of `huggingface_hub`; passing ones only after several attempts."""

    def __init__(self, repo: str, token: str) -> None:
        self.repo = repo
        self.token = token

    @cached_property
    def _api(self) -> HfApi:
        from huggingface_hub import HfApi

        return HfApi(token=self.token)

    @property
    def endpoint(self) -> str:
        """The address of the Hub."""
        return self._api.endpoint

    def page(self, commit: str) -> str:
        """The address at which a person looks at a commit."""
        return f"{self.endpoint}/datasets/{self.repo}/commit/{commit}"

    def user(self, *, to_write: bool) -> str:
        """Whose token it is.

        Raises:
            InputError: it is to write but can only read.
        """
        who = patiently(self._api.whoami)
        token = who.get("auth", {}).get("accessToken") or {}
        if to_write and token.get("role") == "read":
            raise InputError(f"{self.repo}: this token can only read: make one that can write, or use --pull-request")
        return str(who.get("name"))

    def look(self) -> Head | None:
        """The dataset as it is, null if there is none or the token may not see it.

        Raises:
            InputError: it has another name by now.
        """
        from huggingface_hub.errors import RepositoryNotFoundError

        try:
            info = patiently(lambda: self._api.dataset_info(self.repo))
        except RepositoryNotFoundError:
            return None
        if info.id != self.repo:
            raise InputError(f"{self.repo}: is called {info.id} on the Hub: use that name")
        refs = patiently(lambda: self._api.list_repo_refs(self.repo, repo_type=_KIND))
        tags = {tag.name: tag.target_commit for tag in refs.tags}
        commit = str(info.sha)
        return Head(commit, bool(info.private), self.files(commit), tags)

    def files(self, revision: str) -> dict[str, There]:
        """All files of a commit."""
        from huggingface_hub.hf_api import RepoFile

        entries = self._api.list_repo_tree(self.repo, recursive=True, revision=revision, repo_type=_KIND)
        files = [entry for entry in entries if isinstance(entry, RepoFile)]
        return {file.path: There(file.size, file.blob_id, file.lfs.sha256 if file.lfs else None) for file in files}

    def history(self, commit: str) -> tuple[str, str, str]:
        """The title, day and authors of a commit."""
        found = self._api.list_repo_commits(self.repo, repo_type=_KIND, revision=commit)[0]
        return found.title, f"{found.created_at:%Y-%m-%d}", ", ".join(found.authors)

    def proposals(self, user: str) -> list[Made]:
        """The open pull requests of somebody."""

        def call() -> list[Discussion]:
            listed = self._api.get_repo_discussions(
                self.repo,
                author=user,
                discussion_type="pull_request",
                discussion_status="open",
                repo_type=_KIND,
            )
            return [each for each in listed if each.author == user and each.is_pull_request and each.status == "open"]

        heads = self._api.list_repo_refs(self.repo, repo_type=_KIND, include_pull_requests=True).pull_requests or ()
        commits = {head.ref: head.target_commit for head in heads}
        asked = [(each.git_reference or "", each.url) for each in patiently(call)]
        return [Made(commits[ref], url) for ref, url in asked if ref in commits]

    def create(self, *, private: bool) -> None:
        """Make the dataset, empty.

        Raises:
            InputError: there is one of this name that the token may not see.
        """
        try:
            patiently(lambda: self._api.create_repo(self.repo, repo_type=_KIND, private=private))
        except Exception as error:
            if status(error) != 409:
                raise
            raise InputError(
                f"{self.repo}: the name is taken, by a dataset that this token cannot see: choose another name"
            ) from None

    def send(self, addition: CommitOperationAdd, *, pull_request: bool) -> None:
        """Upload a file that the Hub keeps as an LFS object, unless its storage has it already."""
        self._api.preupload_lfs_files(self.repo, [addition], repo_type=_KIND, create_pr=pull_request)

    def commit(
        self,
        changes: Changes,
        additions: Iterable[CommitOperationAdd],
        *,
        title: str,
        parent: str,
        pull_request: bool,
    ) -> Made:
        """Make all changes in one commit on top of `parent`.

        Raises:
            MovedError: the head is another by now, be it by an earlier attempt whose answer was lost.
        """
        from huggingface_hub import CommitOperationDelete

        deletions = [CommitOperationDelete(name, is_folder=False) for name in changes.delete]

        def call() -> Made:
            made = self._api.create_commit(
                self.repo,
                [*additions, *deletions],
                commit_message=title,
                repo_type=_KIND,
                create_pr=pull_request,
                parent_commit=parent,
            )
            return Made(made.oid, made.pr_url)

        try:
            # Once more after a lost answer would open a second pull request.
            return call() if pull_request else patiently(call)
        except Exception as error:
            if status(error) != 412:
                raise
            raise MovedError from None

    def tag(self, name: str, commit: str) -> None:
        """Tag a commit.

        Raises:
            InputError: the tag is at another commit.
        """
        try:
            patiently(lambda: self._api.create_tag(self.repo, tag=name, revision=commit, repo_type=_KIND))
        except Exception as error:
            if status(error) != 409:
                raise
            refs = patiently(lambda: self._api.list_repo_refs(self.repo, repo_type=_KIND))
            # An earlier attempt may have set it, its answer lost.
            if not any(tag.name == name and tag.target_commit == commit for tag in refs.tags):
                raise InputError(f"{self.repo}: somebody else has just set the tag {name} at another commit") from None
