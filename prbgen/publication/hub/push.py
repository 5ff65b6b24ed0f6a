"""Bringing a folder to the Hub in steps, each of which can be the last one that is reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from prbgen.errors import InputError, PrbgenError
from prbgen.publication.hub.client import Client, Head, Made, MovedError
from prbgen.publication.hub.destination import Destination
from prbgen.publication.hub.faults import in_one_line
from prbgen.publication.hub.files import Changes, Here, changes, files_in, fingerprint
from prbgen.publication.hub.load_back import check_files, load_back
from prbgen.publication.hub.owner import check_base, known
from prbgen.publication.hub.published import Published
from prbgen.publication.hub.quiet import quiet

Progress = Callable[[str], None]


def check_access(to: Destination, *, pull_request: bool = False) -> None:
    """See whether the Hub can be used as `push` will use it, before anything long is done.

    Raises:
        InputError: there is no Hub at HF_ENDPOINT, no token, or one that may not write.
    """
    token = _token(to.repo)
    with quiet(), in_one_line(to.repo, token):
        Client(to.repo, token).user(to_write=not pull_request)


def push(
    folder: Path,
    to: Destination,
    *,
    version: str,
    last: Published | None = None,
    onto: str | None = None,
    pull_request: bool = False,
    public: bool = False,
    progress: Progress = lambda line: None,
) -> Published:
    """Make a dataset on the Hub what a folder is, in one commit, and tag it once it has been loaded back.

    Whatever interrupts it, the same call goes on: what the Hub's storage has is not sent again, a commit that is there
    is not made again, and one without its tag is loaded back and tagged. HF_ENDPOINT and HF_TOKEN are obeyed.

    Args:
        folder: The staged dataset; hidden files stay here.
        to: Where it goes; made if it is not there.
        version: X.Y.Z; the tag is vX.Y.Z. A pull request gets none.
        last: What the previous push from here returned, if there was one.
        onto: The commit, or 7 digits or more of it, that may be replaced though it is not ours.
        pull_request: Propose it instead of replacing what is there.
        public: Whether a dataset that has to be made is public at once. One that is there keeps what it is.
        progress: Is told in a line what is done next.

    Raises:
        InputError: nothing to publish, no token or no rights, the head or the tag is somebody else's, the Hub cannot be
            used. Once the commit is made, the message says so.
        FellShortError: what comes back from the Hub is not what the folder holds; the message says what differs.
    """
    files = files_in(folder)
    token = _token(to.repo)
    client = Client(to.repo, token)
    with quiet(), in_one_line(to.repo, token):
        job = _Job(client, files, client.user(to_write=not pull_request), f"Version {version}", pull_request, progress)
        head = _found_or_made(job, public=public)
        tag = None if pull_request else f"v{version}"
        tagged = tag is not None and _is_tagged(job, head, tag)
        made = _bring(job, head, last, onto)
        with _already_there(client, made.commit):
            if made.commit != head.commit or (tag and not tagged):
                progress("loading it back from the Hub")
                check_files(client, files, made.commit)
                load_back(folder, client, made.commit)
            if tag and not tagged:
                client.tag(tag, made.commit)
    return Published(
        endpoint=client.endpoint,
        repo=to.repo,
        commit=made.commit,
        ours=known(client, last) if made.pull_request else made.commit,
        tag=tag,
        pull_request=made.pull_request,
        fingerprint=fingerprint(files),
    )


@dataclass(frozen=True)
class _Job:
    """What is the same in all steps of a push."""

    client: Client
    files: tuple[Here, ...]
    user: str
    title: str
    pull_request: bool
    progress: Progress


def _token(repo: str) -> str:
    from huggingface_hub import constants, get_token

    if not constants.ENDPOINT.startswith(("http://", "https://")):
        raise InputError(f"HF_ENDPOINT: {constants.ENDPOINT!r} is no address; it begins with http:// or https://")
    if constants.HF_HUB_OFFLINE:
        raise InputError(f"{repo}: HF_HUB_OFFLINE forbids to use the Hub: unset it to publish")
    token = get_token()
    if not token:
        raise InputError(f"{repo}: publishing needs a token of the Hub: `hf auth login`, or set HF_TOKEN")
    return token


def _found_or_made(job: _Job, *, public: bool) -> Head:
    client = job.client
    head = client.look()
    if head is None:
        client.create(private=not public)
        job.progress(f"made {client.repo}, {'public' if public else 'private'}")
        head = client.look()
    elif public and head.private:
        job.progress(f"{client.repo} stays private: its settings on the Hub change that")
    if head is None:
        raise InputError(f"{client.repo}: the Hub does not show it though it has just been made: try again")
    return head


def _is_tagged(job: _Job, head: Head, tag: str) -> bool:
    """Whether the version is published already, with the same content."""
    if tag not in head.tags:
        return False
    commit = head.tags[tag]
    there = head.files if commit == head.commit else job.client.files(commit)
    if changed := changes(job.files, there):
        raise InputError(
            f"{job.client.repo}: version {tag[1:]} is published already (commit {commit[:12]}) with other content"
            f" ({changed}): raise [publication] version"
        )
    return True


def _bring(job: _Job, head: Head, last: Published | None, onto: str | None) -> Made:
    """The commit that holds the files: a new one, or one that does already."""
    to_do = changes(job.files, head.files)
    if not to_do:
        job.progress("unchanged: the Hub has it already")
        return Made(head.commit, None)
    if not job.pull_request:
        check_base(job.client, head, last, onto)
    elif proposed := _proposed(job):
        job.progress(f"proposed already: {proposed.pull_request}")
        return proposed
    try:
        return _send(job, to_do, head)
    except MovedError:
        now = job.client.look()
        if now and not changes(job.files, now.files):
            return Made(now.commit, None)
        if now and now.commit != head.commit:
            check_base(job.client, now, None, None)
        raise InputError(f"{job.client.repo}: it has changed in the meantime: try again") from None


def _proposed(job: _Job) -> Made | None:
    """An open pull request of the same content, as an interrupted push leaves it."""
    open_ones = job.client.proposals(job.user)
    return next((each for each in open_ones if not changes(job.files, job.client.files(each.commit))), None)


def _send(job: _Job, to_do: Changes, head: Head) -> Made:
    from huggingface_hub import CommitOperationAdd

    additions = [CommitOperationAdd(file.name, file.path) for file in to_do.send]
    # One by one, so that after a failure only the rest is left to send.
    for number, addition in enumerate(additions, start=1):
        job.progress(f"sending {addition.path_in_repo} ({number} of {len(additions)})")
        job.client.send(addition, pull_request=job.pull_request)
    job.progress("committing")
    return job.client.commit(to_do, additions, title=job.title, parent=head.commit, pull_request=job.pull_request)


@contextmanager
def _already_there(client: Client, commit: str) -> Iterator[None]:
    """Let what goes wrong from here on say that the data is on the Hub."""
    try:
        with in_one_line(client.repo, client.token):
            yield
    except PrbgenError as error:
        raise type(error)(f"{error}; the data is on the Hub by now, as commit {commit[:12]}") from None
