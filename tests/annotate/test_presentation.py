"""How a comparison is laid out for one annotator."""

from __future__ import annotations

from hypothesis import given, strategies as st

from evaluation.presentation import Fragment, Sheet, ShownPhrase, Stave, sheet


def stave(text: str) -> Stave:
    spans, start = [], 0
    for word in text.split():
        start = text.index(word, start)
        spans.append((start, start + len(word)))
        start += len(word)
    return Stave(text, spans)


def read(fragments: list[Fragment]) -> str:
    return "".join(f.space + f.text for f in fragments)


UNION = stave("On Tuesday the union announced a strike .")
UNION_B = stave("The union announced today on Tuesday a walkout .")
PHRASES = [
    ShownPhrase((0, 2), (4, 6), False, True),  # On Tuesday / on Tuesday
    ShownPhrase((2, 4), (0, 2), True, False),  # the union
    ShownPhrase((4, 5), (2, 3), True, False),  # announced
    ShownPhrase(None, (3, 4), False, False),  # ε / today
    ShownPhrase((5, 6), (6, 7), True, False),  # a
    ShownPhrase((6, 7), (7, 8), False, False),  # strike / walkout
    ShownPhrase((7, 8), (8, 9), True, False),  # .
]


def layout(*, swapped: bool = False, asked: set[int] | None = None) -> Sheet:
    questions = {0, 3, 5} if asked is None else asked
    return sheet(UNION, UNION_B, PHRASES, {n: n for n in questions}, swapped=swapped)


def test_both_sides_read_as_they_were_written() -> None:
    page = layout()
    assert read([f for f in page.a if f.text]) == UNION.text
    assert read([f for f in page.b if f.text]) == UNION_B.text


def test_cards_are_numbered_as_side_a_reads() -> None:
    assert [(card.number, card.a, card.b) for card in layout().cards] == [
        (1, "On Tuesday", "on Tuesday"),
        (2, "", "today"),
        (3, "strike", "walkout"),
    ]
    assert [(card.number, card.a, card.b) for card in layout(swapped=True).cards] == [
        (1, "today", ""),
        (2, "on Tuesday", "On Tuesday"),
        (3, "walkout", "strike"),
    ]


def test_each_kind_of_difference_is_named() -> None:
    assert [card.kind for card in layout().cards] == ["moved", "only-b", "sub"]
    assert [card.kind for card in layout(swapped=True).cards] == ["only-a", "moved", "sub"]


def test_an_empty_side_stands_after_its_left_neighbour() -> None:
    words = [(f.text, f.number) for f in layout().a]
    assert words == [
        ("On Tuesday", 1),
        ("the union announced", None),
        ("", 2),
        ("a", None),
        ("strike", 3),
        (".", None),
    ]


def test_a_pair_that_is_asked_elsewhere_comes_last_and_is_quiet() -> None:
    page = layout(asked={5})
    assert [card.number for card in page.questions] == [1]
    assert page.questions[0].a == "strike"
    assert {f.number for f in page.a if not f.asked and f.number} == {2, 3}


def test_the_index_of_a_card_does_not_depend_on_the_side() -> None:
    assert {card.index for card in layout().cards} == {card.index for card in layout(swapped=True).cards}


@given(st.lists(st.sampled_from(["shared", "different", "first", "second"]), max_size=8), st.booleans())
def test_any_monotone_alignment_rebuilds_both_sentences(kinds: list[str], swapped: bool) -> None:
    phrases, a, b = [], 0, 0
    for kind in kinds:
        first = None if kind == "second" else (a, a + 1)
        second = None if kind == "first" else (b, b + 1)
        a, b = a + (first is not None), b + (second is not None)
        phrases.append(ShownPhrase(first, second, kind == "shared", False))
    left, right = stave(" ".join(f"a{i}" for i in range(a))), stave(" ".join(f"b{i}" for i in range(b)))
    page = sheet(left, right, phrases, {n: n for n in range(len(phrases))}, swapped=swapped)
    texts = {read([f for f in side if f.text]) for side in (page.a, page.b)}
    assert texts == {left.text, right.text}
    assert len(page.cards) == sum(kind != "shared" for kind in kinds)


def test_a_card_repeats_its_phrases_with_the_words_around_them() -> None:
    moved, one_sided, walkout = layout().questions
    assert [excerpt.before for excerpt in walkout.excerpts] == [
        "… the union announced a ",
        "… today on Tuesday a ",
    ]
    assert [excerpt.parts for excerpt in walkout.excerpts] == [[("strike", True)], [("walkout", True)]]
    assert one_sided.excerpts[0].parts == [("", True)]
    assert not any(card.has_two_places for card in (moved, one_sided, walkout))


def test_what_is_written_differently_but_counts_as_shared_is_listed() -> None:
    assert layout().unmarked == [("the", "The")]
    shared = [ShownPhrase((0, 2), (0, 2), True, False)]
    assert sheet(stave("The Union"), stave("the Union"), shared, {}, swapped=False).unmarked == [
        ("The", "the")
    ]


def test_what_is_not_marked_is_as_short_as_the_difference_and_written_as_in_the_text() -> None:
    a = Stave("(Two, or more speeds.", [(0, 1), (1, 4), (4, 5), (6, 8), (9, 13), (14, 20), (20, 21)])
    b = Stave("Two or More speeds.", [(0, 3), (4, 6), (7, 11), (12, 18), (18, 19)])
    shown = [ShownPhrase((0, 7), (0, 5), True, False)]
    assert sheet(a, b, shown, {}, swapped=False).unmarked == [
        ("(Two", "Two"),
        ("Two,", "Two"),
        ("more", "More"),
    ]
    assert sheet(a, b, shown, {}, swapped=True).unmarked == [
        ("Two", "(Two"),
        ("Two", "Two,"),
        ("More", "more"),
    ]


def test_a_script_without_spaces_is_cut_anywhere() -> None:
    text = "市" * 60
    whole = Stave(text + "桥", [(n, n + 1) for n in range(61)])
    phrases = [ShownPhrase((0, 60), (0, 60), True, False), ShownPhrase((60, 61), (60, 61), False, False)]
    (card,) = sheet(whole, Stave(text + "路", whole.spans), phrases, {1: 1}, swapped=False).questions
    assert card.excerpts[0].before == "… " + "市" * 28
