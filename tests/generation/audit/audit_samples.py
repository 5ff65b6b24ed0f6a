"""Audits for the page to show."""

from __future__ import annotations

from dataclasses import replace

from prbgen.generation.audit.results import (
    Audit,
    Cost,
    Duplicates,
    Group,
    Histogram,
    Lengths,
    Making,
    Overlap,
    Personal,
    Shortcut,
    Telling,
    Twins,
)

FULL = Audit(
    name="runs/counter",
    data="9f86d081884c7d65",
    n=2830,
    identical=3,
    users=1911,
    questions=2830,
    shortcut={
        "length": Shortcut(0.504, (0.485, 0.523)),
        "surface": Shortcut(0.541, (0.522, 0.561)),
        "tfidf": Shortcut(0.684, (0.666, 0.701)),
        "embedding": Shortcut(None, None, "the extra 'dense' is not installed"),
    },
    verdict="leaks",
    pairs_needed=None,
    telling=(
        Telling("term", "however", "rejected", 112, 431, -13.7, by_chance=False),
        Telling("term", "you might", "chosen", 590, 301, 9.7, by_chance=False),
        Telling("feature", "questions asked", "chosen", 840, 640, 5.2, by_chance=False),
        Telling("feature", "list items", "rejected", 96, 120, -1.6, by_chance=True),
    ),
    lengths=Lengths(
        chosen=Histogram((0, 20, 40, 60, 80, 100, 120, 700), (10, 90, 400, 1010, 1200, 115, 5)),
        rejected=Histogram((0, 20, 40, 60, 80, 100, 120, 700), (40, 160, 610, 1100, 860, 60, 0)),
        ratio=Histogram((0, 0.5, 0.67, 0.8, 0.95, 1.05, 1.25, 1.5, 2, 4), (10, 60, 190, 500, 760, 810, 350, 120, 30)),
        median_chosen=82,
        median_rejected=76.5,
        median_ratio=1.04,
        longer_chosen=1500,
        longer_rejected=1200,
        equal=130,
    ),
    groups=(
        Group("Art_and_Entertainment", "movies", 420),
        Group("Society_and_Culture", "history", 310),
        Group("Lifestyle_and_Personal_Development", None, 290),
    ),
    duplicates=Duplicates(3, 2, 1, (Twins("0_2_0", "Art_and_Entertainment", "1_7_3", "Society_and_Culture", 0.953),)),
    empty_profiles=14,
    personal=(Personal("e-mail", "profile", 57, ("0_1_1", "0_9_2")), Personal("phone", "question", 1, ("1_4_4",))),
    overlap=Overlap("train", 812, 3, ("0_2_0", "0_3_1")),
    making=Making(
        attempts=3412,
        passed=2830,
        undecided=12,
        pass_rates={"words": 0.991, "talk": 0.953, "parity": 0.88, "quality": None},
        coverage_gap=0.62,
        cost=Cost(0.00231),
    ),
)  # fmt: skip
BARE = replace(
    FULL,
    name="QiyaoMa/Personalized-RewardBench",
    shortcut={"length": Shortcut(0.492, (0.45, 0.534)), "tfidf": Shortcut(0.55, (0.5, 0.61))},
    verdict="unclear",
    pairs_needed=4200,
    telling=(),
    groups=(),
    duplicates=Duplicates(0, 0, 0, ()),
    empty_profiles=None,
    personal=(),
    overlap=None,
    making=None,
)
