from prbgen.sources.text import normalised


def test_case_white_space_and_compatibility_forms_do_not_count() -> None:
    assert normalised(" Straße\u00a0\n ﬁn  ①") == normalised("STRASSE fin 1") == "strasse fin 1"
