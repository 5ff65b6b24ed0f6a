from collections.abc import Callable

from prbgen.publication.leaving.personal_data import PersonalPlace, PersonalReport, personal_report
from prbgen.schema import Pair, Post


def test_every_place_is_listed_and_no_text_is(make_pair: Callable[..., Pair]) -> None:
    email, phone = "Write to jane.doe@gmail.com.", "Call (212) 664-7665 today"
    posts = tuple(Post(category=None, id=f"p{number}", text=phone) for number in range(3))
    pairs = [make_pair(number, question=email) for number in range(12)]
    pairs.append(make_pair(12, chosen=f"{phone} {email}", profile=posts))
    report = personal_report(iter(pairs))
    assert report.pairs == 13
    last = pairs[-1].pair_id
    assert report.places == (
        *(PersonalPlace(pair_id=pair.pair_id, column="question", kind="e-mail") for pair in pairs[:12]),
        PersonalPlace(pair_id=last, column="chosen", kind="e-mail"),
        PersonalPlace(pair_id=last, column="chosen", kind="phone"),
        PersonalPlace(pair_id=last, column="profile", kind="phone"),
    )
    assert report.counts["question"] == {"e-mail": 12, "phone": 0, "address": 0}
    assert report.counts["profile"] == {"e-mail": 0, "phone": 1, "address": 0}
    assert report.counts["narrative"] == {"e-mail": 0, "phone": 0, "address": 0}
    text = report.model_dump_json()
    assert "jane" not in text
    assert "664" not in text
    assert PersonalReport.model_validate_json(text) == report


def test_clean_pairs_give_noughts(make_pair: Callable[..., Pair]) -> None:
    report = personal_report([make_pair(0)])
    assert report.places == ()
    assert {count for kinds in report.counts.values() for count in kinds.values()} == {0}
