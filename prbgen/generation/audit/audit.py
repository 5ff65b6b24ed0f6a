"""The audit of one set of pairs: read once, with their profiles; only what the shallow models need is kept."""

from __future__ import annotations

from collections.abc import Iterable

from prbgen.digest import Digest
from prbgen.errors import InputError
from prbgen.generation.audit.distributions import groups, lengths
from prbgen.generation.audit.duplicates import find_duplicates
from prbgen.generation.audit.overlap import OtherData, Overlaps
from prbgen.generation.audit.personal import PersonalData
from prbgen.generation.audit.results import Audit, Making
from prbgen.generation.audit.shortcut import shortcuts, too_few
from prbgen.generation.audit.telling import telling
from prbgen.generation.audit.verdict import pairs_needed, verdict_on
from prbgen.generation.audit.view import view
from prbgen.schema import PreferencePair
from prbgen.sources.users import question_key


def audit(
    name: str,
    pairs: Iterable[PreferencePair],
    *,
    embedding: str | None = None,
    against: OtherData | None = None,
    making: Making | None = None,
    strict: bool = True,
) -> Audit:
    """Look at a set of pairs from all sides.

    Args:
        name: What the set is called in the report.
        pairs: All of them.
        embedding: A sentence-transformers model, by name or folder: a further shallow model goes by its embeddings.
        against: Another split or dataset, whose users and questions should not be in this one.
        making: How a run made the pairs, if one did.
        strict: Refuse what has too few users for a verdict; else that is "unclear", with the reason.

    Raises:
        InputError: there are no pairs, or (with `strict`) too few users to tell anything.
        MissingExtraError: embeddings are asked for, and sentence-transformers is not installed.
    """
    digest, personal = Digest(), PersonalData()
    overlaps = Overlaps(against) if against else None
    kept: list[PreferencePair] = []
    with_profile = empty_profiles = 0
    for pair in pairs:
        digest.add(pair)
        personal.add(pair)
        if overlaps:
            overlaps.add(pair)
        if pair.profile is not None:
            with_profile += 1
            empty_profiles += not pair.profile
        kept.append(pair.model_copy(update={"profile": None, "narrative": None, "rubric_aspects": None}))
    if not kept:
        raise InputError(f"{name}: no pairs to audit")
    # Pairs that nobody can tell apart would hide how well the others can be.
    differing = [pair for pair in kept if pair.chosen.split() != pair.rejected.split()]
    if strict and (reason := too_few(differing)):
        raise InputError(f"{name}: {reason}")
    seen = view(differing)
    found = shortcuts(differing, embedding=embedding, seen=seen)
    verdict = verdict_on(found.values())
    return Audit(
        name=name,
        data=digest.hexdigest(),
        n=len(kept),
        identical=len(kept) - len(differing),
        users=len({pair.user_key for pair in kept}) if all(pair.user_known for pair in kept) else None,
        questions=len({question_key(pair.question) or pair.id for pair in kept}),
        shortcut=found,
        verdict=verdict,
        pairs_needed=pairs_needed(found.values(), len(differing)) if verdict == "unclear" else None,
        telling=telling(differing, seen=seen),
        lengths=lengths(kept),
        groups=groups(kept),
        duplicates=find_duplicates(kept),
        empty_profiles=empty_profiles if with_profile else None,
        personal=personal.found(),
        overlap=overlaps.found() if overlaps else None,
        making=making,
    )
