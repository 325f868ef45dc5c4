"""What a new statement does to a profile (P1, P4): plain functions, the same in whatever order notes are read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations
from time import process_time

import pytest
from profiled import DAY, fact, home

from erstwhile.layers.profiles import by_hand, merge
from erstwhile.layers.profiles.model import ProfileFact

BEGUN = {f"nte_{day}": DAY + timedelta(days=day) for day in range(30)}


def everyone(_channel: str) -> str:
    return ""


def after(*said: ProfileFact) -> list[ProfileFact]:
    facts: Sequence[ProfileFact] = []
    for each in said:
        facts = merge.take(facts, [each], everyone, BEGUN)
    return list(facts)


def standing(facts: Sequence[ProfileFact]) -> list[str]:
    return sorted(each.text for each in facts if each.standing)


def test_the_same_again_adds_a_source_and_no_fact() -> None:
    (only,) = after(fact("Alice likes green tea.", 1), fact("alice likes green tea", 2, section="interests"))
    assert (only.text, only.at, only.notes) == ("Alice likes green tea.", DAY + timedelta(days=1), ("nte_1", "nte_2"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice likes tea.", "Alice likes coffee."),
        ("Alice likes tea.", "Alice does not like tea."),
        ("Alice likes tea.", "Alice doesn't like tea."),
        ("Alice lives in Seoul.", "Alice's sister lives in Seoul."),
        ("Alice's sister lives in Seoul.", "Alice lives in Seoul."),
        ("Alice likes hiking in the Alps.", "Alice likes hiking in the Alps on Sundays."),
        ("Alice has 2 cats.", "Alice has 3 cats."),
        ("Alice taught Bob chess.", "Bob taught Alice chess."),
        ("앨리스는 차를 좋아해요.", "앨리스는 차를 안 좋아해요."),
        ("爱丽丝喜欢喝茶。", "爱丽丝不喜欢喝茶。"),
    ],
)
def test_what_is_only_alike_stands_beside_the_other(one: str, other: str) -> None:
    assert len(after(fact(one, 1), fact(other, 2))) == 2


def test_another_home_ends_the_one_before() -> None:
    seoul, busan = after(home("Seoul", 1), home("Busan", 5))
    assert (seoul.valid_to, seoul.superseded_by) == (busan.at, busan.id)
    assert busan.standing


def test_what_was_said_decides_not_when_it_was_read() -> None:
    said = (home("Seoul", 1), home("Busan", 5), home("Lisbon", 9), fact("Alice likes tea.", 3))
    results = [{each.id: (each.valid_to, each.superseded_by) for each in after(*order)} for order in permutations(said)]
    assert all(result == results[0] for result in results)
    assert standing(after(*said)) == ["Alice likes tea.", "Alice lives in Lisbon."]


@pytest.mark.parametrize("order", list(permutations([home("Seoul", 1), home("Busan", 5), home("Seoul", 9)])))
def test_back_where_one_was_before_stands_in_every_order(order: tuple[ProfileFact, ...]) -> None:
    assert standing(after(*order)) == ["Alice lives in Seoul."]


def test_both_in_one_conversation_go_by_their_messages() -> None:
    first = home("Seoul", 1)
    still = home("Seoul", 9, text="Alice still lives in Seoul.", at=DAY + timedelta(days=9, minutes=1))
    moved = home("Busan", 9, at=DAY + timedelta(days=9, minutes=2))
    assert standing(after(first, still, moved)) == ["Alice lives in Busan."]
    back = home("Seoul", 9, text="Alice is back in Seoul.", at=DAY + timedelta(days=9, minutes=3))
    assert standing(after(first, moved, back)) == ["Alice is back in Seoul."]


def test_what_another_says_stands_beside_and_ends_nothing() -> None:
    facts = after(home("Seoul", 1), home("Busan", 5, said_by="bob"), home("Oslo", 7, said_by="bob"))
    assert standing(facts) == ["Alice lives in Oslo.", "Alice lives in Seoul."]
    assert len(after(fact("Alice likes tea.", 1), fact("Alice likes tea.", 2, said_by="bob"))) == 2


def test_no_longer_so_ends_only_that() -> None:
    facts = after(home("Seoul", 1), home("Seoul", 5, text="Alice no longer lives in Seoul."))
    assert standing(facts) == ["Alice no longer lives in Seoul."]
    facts = after(home("Busan", 3), home("Seoul", 5, text="Alice used to live in Seoul."))
    assert standing(facts) == ["Alice lives in Busan.", "Alice used to live in Seoul."]


def test_a_taste_is_ended_by_its_opposite() -> None:
    likes = fact("Alice likes jazz.", 1, slot="likes", value="jazz")
    hates = fact("Alice hates jazz now.", 4, slot="dislikes", value="jazz")
    also = fact("Alice likes blues.", 5, slot="likes", value="blues")
    assert standing(after(likes, hates, also)) == ["Alice hates jazz now.", "Alice likes blues."]


def test_what_is_only_quoted_touches_nothing() -> None:
    claim = home("Rome", 9, flag="authority")
    facts = after(home("Seoul", 1), claim, home("Rome", 10, flag="authority", text="said: x"))
    assert len([each for each in facts if each.standing]) == 3


def test_what_a_person_wrote_is_not_ended() -> None:
    facts = after(home("Seoul", 1, edited_at=DAY), home("Busan", 5))
    assert standing(facts) == ["Alice lives in Busan.", "Alice lives in Seoul."]


def test_what_was_said_among_few_takes_in_nothing_that_others_may_hear() -> None:
    private = fact("Alice likes tea.", 1, channel="dm")
    spoken = fact("Alice likes tea.", 2)
    audiences = {"dm": "dm", "chat": ""}

    def audience(fact: ProfileFact) -> str:
        return audiences[fact.channel]

    assert len(merge.take([private], [spoken], audience, BEGUN)) == 2
    known, again = merge.take([spoken], [private], audience, BEGUN)
    assert (known, again.absorbed, again.superseded_by) == (spoken, True, spoken.id), "and lends others no source"


def test_without_a_draft_what_it_had_ended_stands_again() -> None:
    draft = home("Busan", 5, draft=True)
    facts = after(home("Seoul", 1), draft)
    left = merge.settled(merge.without_drafts(facts, "nte_5"), BEGUN)
    assert standing(left) == ["Alice lives in Seoul."]
    kept = after(home("Busan", 5, draft=True), home("Busan", 6))
    assert merge.without_drafts(kept, "nte_5") == kept, "another note says it too"
    edited = home("Busan", 5, draft=True, edited_at=DAY)
    assert merge.without_drafts([edited], "nte_5") == [edited]


def test_what_consolidation_ended_stays_ended() -> None:
    seoul, busan = after(home("Seoul", 1), home("Busan", 5))
    trivial = merge.let_go(fact("Alice said hello.", 2), DAY)
    inside = merge.absorbed(fact("Alice is from Seoul.", 1), seoul)
    again = merge.settled([seoul, busan, trivial, inside], BEGUN)
    assert again == [seoul, busan, trivial, inside]


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("Lives in Austin", "bio"),
        ("Alice works as a nurse", "bio"),
        ("Alice is 31 years old", "bio"),
        ("앨리스는 서울에 살고 있다", "bio"),
        ("爱丽丝住在北京", "bio"),
        ("Anna wohnt in Berlin", "bio"),
        ("Likes RPG games", "interests"),
        ("앨리스는 등산을 좋아해요", "interests"),
        ("她喜欢爬山", "interests"),
        ("Elle adore le jazz", "interests"),
        ("Speaks French fluently", "skills"),
        ("Is good at Python", "skills"),
        ("她擅长书法", "skills"),
        ("Prefers Linux over Windows", "opinions"),
        ("Thinks that tabs are wrong", "opinions"),
        ("她认为太贵", "opinions"),
        ("Has a dog named Bento", "relationships"),
        ("Her sister lives in Busan", "relationships"),
        ("Ihre Schwester heißt Eva", "relationships"),
        ("qwerty", "other"),
    ],
)
def test_the_section_of_a_flat_fact_is_guessed(text: str, section: str) -> None:
    assert by_hand.guess(text) == section


def test_a_note_costs_what_it_says_and_not_what_the_profile_has_too() -> None:
    """A transaction holds up every writer: 150 messages about a long profile took eight seconds."""

    def cost(many: int) -> float:
        known = [fact(f"Alice keeps cat{many}x{number} in town{number}.", number % 30) for number in range(16 * many)]
        homes = [home(f"City{many}x{number}", number % 30) for number in range(4 * many)]
        facts = merge.take([], [*known, *homes], everyone, BEGUN)
        new = [fact(f"Alice keeps dog{many}x{number} in town{number}.", number % 30) for number in range(4 * many)]
        begun = process_time()
        merge.take(facts, new, everyone, BEGUN)
        return process_time() - begun

    cost(10)
    small, large = min(cost(12), cost(13)), min(cost(96), cost(97))
    assert large <= 8 * 3 * max(small, 0.002), f"{small:.3f} s, then {large:.3f} s"
