"""What the stand-in keeps of one dataset: its commits, tags and pull requests."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

DATE = "2026-01-01T00:00:00.000Z"
LFS_SUFFIXES = (".parquet", ".arrow", ".bin", ".gz", ".zip", ".png")
LFS_FROM = 10 << 20


def lfs_by_rule(path: str, size: int) -> bool:
    """Whether the Hub keeps a file as an LFS object: by its suffix or its size; an empty one never."""
    return size > 0 and (path.endswith(LFS_SUFFIXES) or size >= LFS_FROM)


def git_blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclass(frozen=True)
class File:
    content: bytes
    lfs: bool

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @cached_property
    def blob(self) -> str:
        """What git keeps: the content, or for LFS the few lines that point to it."""
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\nsize {len(self.content)}\n"
        return git_blob(pointer.encode() if self.lfs else self.content)

    def entry(self, path: str) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "file", "oid": self.blob, "size": len(self.content), "path": path}
        if self.lfs:
            found["lfs"] = {"oid": self.sha256, "size": len(self.content), "pointerSize": 134}
        return found


Files = Mapping[str, File]


@dataclass(frozen=True)
class Commit:
    sha: str
    files: Files
    title: str
    author: str
    message: str = ""

    def described(self) -> dict[str, Any]:
        return {
            "id": self.sha,
            "title": self.title,
            "message": self.message,
            "date": DATE,
            "authors": [{"user": self.author}],
        }

    def tree(self, folder: str, recursive: bool) -> list[dict[str, Any]]:
        entries: dict[str, dict[str, Any]] = {}
        prefix = f"{folder}/" if folder else ""
        for path, file in sorted(self.files.items()):
            if not path.startswith(prefix):
                continue
            parents = path.removeprefix(prefix).split("/")[:-1]
            for depth in range(1, len(parents) + 1 if recursive else min(len(parents), 1) + 1):
                name = prefix + "/".join(parents[:depth])
                entries.setdefault(name, directory(name))
            if recursive or not parents:
                entries[path] = file.entry(path)
        return list(entries.values())

    def paths(self, wanted: list[str]) -> list[dict[str, Any]]:
        found = []
        for path in (each.strip("/") for each in wanted):
            if path in self.files:
                found.append(self.files[path].entry(path))
            elif any(name.startswith(f"{path}/") for name in self.files):
                found.append(directory(path))
        return found


def directory(path: str) -> dict[str, Any]:
    return {"type": "directory", "oid": "0" * 40, "size": 0, "path": path}


@dataclass
class Repo:
    """`history` has the commits of each branch and pull request, oldest first; `tags` the commit of each tag."""

    name: str
    private: bool = False
    history: dict[str, list[Commit]] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def namespace(self) -> str:
        return self.name.split("/")[0]

    @property
    def head(self) -> Commit:
        return self.history["main"][-1]

    def contents(self, revision: str = "main") -> dict[str, bytes]:
        commit = self.at(revision)
        assert commit, revision
        return {path: file.content for path, file in commit.files.items()}

    def at(self, revision: str) -> Commit | None:
        revision = self.tags.get(revision.removeprefix("refs/tags/"), revision.removeprefix("refs/heads/"))
        if revision in self.history:
            return self.history[revision][-1]
        return next((each for branch in self.history.values() for each in branch if each.sha == revision), None)

    def commit(self, files: Files, title: str, author: str, ref: str = "main", message: str = "") -> Commit:
        branch = self.history.setdefault(ref, [])
        digest = hashlib.sha1(f"{self.name} {ref} {len(branch)} {title}".encode())
        for path, file in sorted(files.items()):
            digest.update(path.encode() + file.blob.encode())
        branch.append(Commit(digest.hexdigest(), dict(files), title, author, message))
        return branch[-1]

    def put(self, contents: Mapping[str, bytes | None], title: str, author: str = "tester") -> Commit:
        """Commit to main what somebody else changed: new contents by path, None for a file that goes."""
        files = dict(self.head.files) if "main" in self.history else {}
        for path, content in contents.items():
            files.pop(path, None)
            if content is not None:
                files[path] = File(content, lfs_by_rule(path, len(content)))
        return self.commit(files, title, author)

    def info(self, commit: Commit) -> dict[str, Any]:
        return {
            "_id": self.name, "id": self.name, "author": self.namespace, "sha": commit.sha, "private": self.private,
            "gated": False, "disabled": False, "tags": [], "downloads": 0, "likes": 0, "lastModified": DATE,
            "createdAt": DATE, "siblings": [{"rfilename": path} for path in sorted(commit.files)],
        }  # fmt: skip

    def discussions(self) -> dict[str, Any]:
        """Its pull requests, all of them open."""
        pulls = [(int(ref.split("/")[-1]), commits[0]) for ref, commits in self.history.items() if "/pr/" in ref]
        listed = [
            {
                "title": commit.title,
                "num": number,
                "author": {"name": commit.author},
                "createdAt": DATE,
                "status": "open",
                "repo": {"name": self.name, "type": "dataset"},
                "isPullRequest": True,
            }
            for number, commit in pulls
        ]
        return {"discussions": listed, "count": len(listed), "start": 0}

    def refs(self, pull_requests: bool) -> dict[str, Any]:
        def listed(name: str, ref: str, commit: str) -> dict[str, str]:
            return {"name": name, "ref": ref, "targetCommit": commit}

        heads = {ref: commits[-1].sha for ref, commits in self.history.items()}
        pulls = [listed(ref.split("/")[-1], ref, sha) for ref, sha in heads.items() if ref.startswith("refs/pr/")]
        found: dict[str, Any] = {
            "branches": [listed(r, f"refs/heads/{r}", sha) for r, sha in heads.items() if not r.startswith("refs/")],
            "converts": [],
            "tags": [listed(tag, f"refs/tags/{tag}", sha) for tag, sha in self.tags.items()],
        }
        return found | ({"pullRequests": pulls} if pull_requests else {})
