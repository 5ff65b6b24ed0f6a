"""The calls of the Hub that have to do with one dataset, as the real client makes them."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass, field
from typing import Any

from tests.hub.repo import Commit, File, Repo, lfs_by_rule
from tests.hub.storage import Storage
from tests.hub.web import Ask, Reply, failed, found


@dataclass(frozen=True)
class Account:
    """Whose token it is, and the namespaces that it may write to."""

    name: str
    writes: frozenset[str] = field(default_factory=frozenset)
    role: str = "write"

    def may_write(self, repo: Repo) -> bool:
        return self.role == "write" and repo.namespace in self.writes

    def described(self) -> dict[str, Any]:
        token = {"displayName": "test", "role": self.role}
        return {"type": "user", "name": self.name, "orgs": [], "auth": {"type": "access_token", "accessToken": token}}


MOVED = failed(412, "PreconditionFailed", "A commit has happened since. Please refresh and try again.")
NO_RIGHTS = failed(403, "Forbidden", "Authorization error.")
NO_REVISION = failed(404, "RevisionNotFound", "Revision not found")


@dataclass(frozen=True)
class RepoCalls:
    repo: Repo
    account: Account | None
    storage: Storage
    endpoint: str

    def answer(self, ask: Ask, call: list[str]) -> Reply:
        match ask.method, call:
            case "GET" | "HEAD", []:
                return found(self.repo.info(self.repo.head))
            case "GET" | "HEAD", ["refs"]:
                return found(self.repo.refs(ask.option("include_prs")))
            case "GET", ["discussions"]:
                return found(self.repo.discussions())
            case method, [name, revision, *path]:
                commit = self.repo.at(revision)
                if commit is None:
                    return NO_REVISION
                if method == "POST" and name != "paths-info" and not self._may_write(ask):
                    return NO_RIGHTS
                return self._about(ask, name, commit, revision, path)
        return failed(404, "EntryNotFound", "no such call")

    def _may_write(self, ask: Ask) -> bool:
        if self.account is None:
            return False
        return ask.option("create_pr") or self.account.may_write(self.repo)

    def _about(self, ask: Ask, name: str, commit: Commit, revision: str, path: list[str]) -> Reply:
        match ask.method, name:
            case "GET" | "HEAD", "revision":
                return found(self.repo.info(commit))
            case "GET" | "HEAD", "tree":
                entries = commit.tree("/".join(path), ask.option("recursive"))
                return found(entries) if entries or not path else failed(404, "EntryNotFound", "no such folder")
            case "GET" | "HEAD", "commits":
                branch = next(each for each in self.repo.history.values() if commit in each)
                return found([each.described() for each in reversed(branch[: branch.index(commit) + 1])])
            case "POST", "paths-info":
                return found(commit.paths(ask.form("paths")))
            case "POST", "preupload":
                return found({"files": [_mode(each, commit) for each in ask.json()["files"]], "commitOid": commit.sha})
            case "POST", "commit":
                return self._commit(ask, commit, revision)
            case "POST", "tag":
                return self._tag(ask.json()["tag"], commit)
        return failed(404, "EntryNotFound", f"no such call: {name}")

    def _tag(self, tag: str, commit: Commit) -> Reply:
        if tag in self.repo.tags:
            return failed(409, "Conflict", f"Tag reference exists: {tag}")
        self.repo.tags[tag] = commit.sha
        return Reply(200)

    def _commit(self, ask: Ask, parent: Commit, revision: str) -> Reply:
        assert self.account
        lines = [json.loads(line) for line in ask.body.splitlines()]
        header = next(line["value"] for line in lines if line["key"] == "header")
        if header.get("parentCommit") not in (None, parent.sha):
            return MOVED
        files = dict(parent.files)
        for line in lines:
            if refused := self._apply(line["key"], line["value"], files):
                return refused
        number = 1 + sum(ref.startswith("refs/pr/") for ref in self.repo.history)
        as_pull_request = ask.option("create_pr")
        ref = f"refs/pr/{number}" if as_pull_request else revision
        made = self.repo.commit(files, header["summary"], self.account.name, ref, header.get("description", ""))
        page = f"{self.endpoint}/datasets/{self.repo.name}"
        answer = {"success": True, "commitOid": made.sha, "commitUrl": f"{page}/commit/{made.sha}", "hookOutput": ""}
        return found(answer | ({"pullRequestUrl": f"{page}/discussions/{number}"} if as_pull_request else {}))

    def _apply(self, key: str, value: dict[str, Any], files: dict[str, File]) -> Reply | None:
        match key:
            case "file":
                files[value["path"]] = File(base64.b64decode(value["content"]), lfs=False)
            case "lfsFile" if value["oid"] in self.storage.objects:
                files[value["path"]] = File(self.storage.objects[value["oid"]], lfs=True)
            case "lfsFile":
                return failed(422, "LfsMissing", f"LFS object {value['oid']} was not uploaded")
            case "deletedFile" if value["path"] in files:
                del files[value["path"]]
            case "deletedFile":
                return failed(404, "EntryNotFound", "A file with this name doesn't exist")
            case "deletedFolder":
                for path in [each for each in files if each.startswith(value["path"].rstrip("/") + "/")]:
                    del files[path]
            case "header":
                pass
            case _:
                return failed(400, "BadRequest", f"unknown key: {key}")
        return None

    def resolve(self, ask: Ask, revision: str, path: str) -> Reply:
        commit = self.repo.at(revision)
        if commit is None:
            return NO_REVISION
        file = commit.files.get(path)
        if file is None:
            return failed(404, "EntryNotFound", "Entry not found")
        tag = f'"{file.sha256 if file.lfs else file.blob}"'
        headers = {"X-Repo-Commit": commit.sha, "ETag": tag, "Accept-Ranges": "bytes"}
        if file.lfs:
            headers |= {"X-Linked-Etag": tag, "X-Linked-Size": str(len(file.content))}
        return _ranged(file.content, ask.headers.get("Range") or "", headers)


def _mode(asked: dict[str, Any], commit: Commit) -> dict[str, Any]:
    there = commit.files.get(asked["path"])
    oid = None if there is None else there.sha256 if there.lfs else there.blob
    mode = "lfs" if lfs_by_rule(asked["path"], asked["size"]) else "regular"
    return {"path": asked["path"], "uploadMode": mode, "shouldIgnore": False, "oid": oid}


def _ranged(content: bytes, asked: str, headers: dict[str, str]) -> Reply:
    bounds = re.fullmatch(r"bytes=(\d*)-(\d*)", asked)
    if not bounds:
        return Reply(200, content, headers)
    if not bounds[1]:
        first, last = max(0, len(content) - int(bounds[2])), len(content) - 1
    else:
        first, last = int(bounds[1]), min(int(bounds[2] or len(content)), len(content) - 1)
    shown = {"Content-Range": f"bytes {first}-{last}/{len(content)}"}
    return Reply(206, content[first : last + 1], headers | shown)
