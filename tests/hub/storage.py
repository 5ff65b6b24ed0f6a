"""Where LFS objects go: in one piece or in parts, and which of them were sent."""

from __future__ import annotations

import hashlib
from typing import Any

from tests.hub.web import Ask, Reply, failed, found


class Storage:
    """`objects` by hash; `uploads` are the hashes in the order in which whole objects came, also those sent again.

    With a `part_size`, objects of more bytes are sent in parts of that size.
    """

    def __init__(self, part_size: int | None = None) -> None:
        self.objects: dict[str, bytes] = {}
        self.uploads: list[str] = []
        self.part_size = part_size
        self._parts: dict[str, dict[int, bytes]] = {}

    def batch(self, endpoint: str, wanted: list[dict[str, Any]]) -> Reply:
        """The LFS batch API: how to send each object that is not here yet."""
        answer = [self._instructions(endpoint, each["oid"], each["size"]) for each in wanted]
        return found({"transfer": "basic", "objects": answer})

    def _instructions(self, endpoint: str, oid: str, size: int) -> dict[str, Any]:
        described = {"oid": oid, "size": size, "authenticated": True}
        if oid in self.objects:
            return described
        upload = {"href": f"{endpoint}/lfs/{oid}", "header": {}}
        if self.part_size and size > self.part_size:
            count = -(-size // self.part_size)
            parts = {str(number): f"{endpoint}/lfs/{oid}/{number}" for number in range(1, count + 1)}
            upload = {"href": f"{endpoint}/lfs/{oid}/complete", "header": {"chunk_size": str(self.part_size), **parts}}
        return described | {"actions": {"upload": upload, "verify": {"href": f"{endpoint}/lfs/verify", "header": {}}}}

    def answer(self, ask: Ask) -> Reply:
        match ask.method, ask.parts[1:]:
            case "POST", ["verify"]:
                asked = ask.json()
                whole = len(self.objects.get(asked["oid"], b"")) == asked["size"]
                return found({}) if whole else failed(404, "EntryNotFound", "no such object")
            case "PUT", [oid]:
                return self._keep(oid, ask.body)
            case "PUT", [oid, number]:
                self._parts.setdefault(oid, {})[int(number)] = ask.body
                return Reply(200, headers={"ETag": f'"part-{number}"'})
            case "POST", [oid, "complete"]:
                parts = self._parts.pop(oid, {})
                numbers = [part["partNumber"] for part in ask.json()["parts"]]
                return self._keep(oid, b"".join(parts[number] for number in numbers))
        return failed(404, "EntryNotFound", "no such call")

    def _keep(self, oid: str, content: bytes) -> Reply:
        if hashlib.sha256(content).hexdigest() != oid:
            return failed(400, "BadDigest", "the bytes are not those of the hash")
        self.objects[oid] = content
        self.uploads.append(oid)
        return Reply(200, headers={"ETag": f'"{oid}"'})
