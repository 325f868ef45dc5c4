"""What a model wrote, checked against what was said: figures on triples, and single cases."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from erstwhile.base.errors import UngroundedAnswer
from erstwhile.writers import checks
from erstwhile.writers.grounding import CitedMessages, unborne
from erstwhile.writers.port import TranscriptLine, TypedNote

TRIPLES = Path(__file__).parent / "triples"
AT = datetime(2026, 3, 14, 12, tzinfo=UTC)  # a Saturday
Triple = tuple[CitedMessages, str, str]


def read(file: Path) -> Iterator[Triple]:
    """Blocks of lines: the messages, the cited ones marked with *; + is true, - is made up."""
    blocks = [block.splitlines() for block in file.read_text("utf-8").strip().split("\n\n")]
    people = frozenset(row.lstrip("*").partition(":")[0] for rows in blocks for row in rows[:-2])
    for *said, true, invented in blocks:
        lines = [(row.startswith("*"), TranscriptLine(*row.lstrip("*").split(": ", 1), AT)) for row in said]
        cited = [line for is_cited, line in lines if is_cited]
        before = [line for is_cited, line in lines if not is_cited]
        assert true.startswith("+ ")
        assert invented.startswith("- ")
        yield CitedMessages(cited, before, people), true[2:], invented[2:]


def test_inventions_are_caught_and_true_memories_kept() -> None:
    """The rules were tuned on *.tuned.txt alone; *.held.txt was written before and run afterwards."""
    halves = [sorted(TRIPLES.glob(f"*.{half}.txt")) for half in ("tuned", "held")]
    triples = [[triple for file in half for triple in read(file)] for half in halves]
    assert list(map(len, triples)) == [125, 125]
    lost = [true for half in triples for evidence, true, _ in half if unborne(true, evidence)]
    assert len(lost) <= 0.03 * 250, lost
    for half in triples:
        missed = [invented for evidence, _, invented in half if not unborne(invented, evidence)]
        assert len(missed) <= 0.05 * len(half), missed


def line(speaker: str, text: str) -> TranscriptLine:
    return TranscriptLine(speaker, text, AT)


@pytest.mark.parametrize(
    ("said", "claim", "why"),
    [
        ("I moved to Busan", "Mina lives in Busan.", ""),
        ("I moved to Busan", "Mina lives in Seoul.", "name"),
        ("I have 2 cats", "Mina has three cats.", "number"),
        ("I love tea", "Mina does not like tea.", "denial"),
        ("I love tea", "Robin loves tea.", "person"),
        ("I love tea", "Mina has a close relationship with her husband.", "name"),
        ("我搬到釜山了", "Mina住在釜山。", ""),
        ("我搬到釜山了", "Mina住在首尔。", "words"),
        ("来週ソウルに引っ越します", "Minaは来週ソウルに引っ越す。", ""),
        ("来週ソウルに引っ越します", "Minaは来週プサンに引っ越す。", "words"),
        ("来週Busanに引っ越します", "Minaは来週Seoulに引っ越す。", "name"),
        ("이제 Busan에 살아", "Mina는 Busan에서 산다.", ""),
        ("이제 Busan에 살아", "Mina는 Seoul에서 산다.", "name"),
        ("他买了茶碗", "Mina买了茶碗。", "person"),
        ("彼は茶碗を買った", "Minaは茶碗を買った。", "person"),
    ],
)
def test_what_is_not_borne_out_has_a_reason(said: str, claim: str, why: str) -> None:
    assert unborne(claim, CitedMessages([line("Mina", said)], (), frozenset({"Mina", "Robin"}))) == why


SOFA = [
    ("Xiaoyu", "硬一点对腰好"),
    ("Jun", "What did you say about Theo?"),
    ("Wei", "That his sofa is good for the spine."),
]
HOME = [("Mina", "as of yesterday i live in mangmi, third floor above a locksmith"), ("Theo", "a locksmith!")]
MOVED = [("Mina", "moved to Mangmi, living there now"), ("Theo", "nice!")]
ASKED = [("Mina", "did you move to Mangmi?"), ("Theo", "last week, yes")]
DENIED = [("Mina", "did you move to Mangmi?"), ("Theo", "no, changed my mind")]
CONFIRMED = [("Mina", "so you live in Mangmi now"), ("Theo", "exactly")]
DOUBTED = [("Mina", "living in Mangmi now"), ("Theo", "right?! so jealous")]
BOWL = [
    ("Wei", "An older man came in. He stood a long time. Then he bought the bowl with the grey rim, for 48,000 won.")
]
TRAINS = [("Robin", "Theo, where were you?"), ("Wei", "You saw a man looking at trains.")]
RENT = [
    ("Robin", "Mrs. Bae rang. Her pension comes in on the 8th now so from September she wants the rent on the 10th.")
]
TIRED = [("Robin", "I did the kiln alone, and he slept")]
BROTHER = [("Mina", "Jun called."), ("Robin", "and?"), ("Mina", "he is moving to Dongnae")]


@pytest.mark.parametrize(
    ("said", "claim", "why"),
    [
        (SOFA, "Theo is a health enthusiast and a professional in the field of spine health.", "words"),
        (SOFA, "Theo's sofa is good for the spine.", ""),
        (SOFA, "Wei says that Theo's sofa is good for the spine.", ""),
        (MOVED, "Theo lives in Mangmi.", "name"),
        (ASKED, "Theo moved to Mangmi.", ""),
        (DENIED, "Theo moved to Mangmi.", "name"),
        (CONFIRMED, "Theo lives in Mangmi.", ""),
        (DOUBTED, "Theo lives in Mangmi.", "name"),
        (HOME, "Theo lives in Mangmi, third floor above a locksmith.", "name"),
        (HOME[:1], "Mina lives in Mangmi, third floor above a locksmith.", ""),
        (BOWL, "Wei bought the bowl with the grey rim for 48,000 won.", "person"),
        (BOWL, "An older man bought the bowl with the grey rim for 48,000 won.", ""),
        (TRAINS, "Wei saw a man looking at trains.", "person"),
        (RENT, "She wants the rent on the 10th.", "subject"),
        (RENT, "Mrs. Bae wants the rent on the 10th from September.", ""),
        (TIRED, "Robin did the kiln alone.", ""),
        (TIRED, "Robin slept.", "person"),
        (BROTHER, "Jun is moving to Dongnae.", ""),
    ],
)
def test_what_a_small_model_made_of_it(said: list[tuple[str, str]], claim: str, why: str) -> None:
    """Made by a model with 1.5 billion parameters, or true of the same messages. The last message is cited."""
    people = frozenset({"Jun", "Mina", "Robin", "Theo", "Wei", "Xiaoyu"})
    *before, cited = [line(*each) for each in said]
    assert unborne(claim, CitedMessages([cited], before, people)) == why


def test_a_message_of_no_letters_bears_nothing_out() -> None:
    assert unborne("Mina likes swimming.", CitedMessages([line("Mina", "👍")], (), frozenset({"Mina"}))) == "words"


def test_of_a_translation_names_and_numbers_count() -> None:
    evidence = CitedMessages([line("Mina", "내 고양이 Mochi 는 3살이야")], (), frozenset({"Mina"}))
    assert not unborne("Mina has a cat named Mochi, who is 3 years old.", evidence)
    assert unborne("Mina has a cat named Biscuit, who is 3 years old.", evidence) == "name"
    assert unborne("Mina has a cat named Mochi, who is 5 years old.", evidence) == "number"


def test_a_pronoun_is_resolved_by_the_messages_before() -> None:
    lines = [line("Mina", "My brother Jun is here"), line("Robin", "nice"), line("Mina", "he works at the harbour")]
    assert not unborne("Mina's brother Jun works at the harbour.", checks.around(3, lines))


LINES = [line("Mina", "I moved to Busan in May"), line("Robin", "I am allergic to peanuts")]


def test_facts_that_no_message_bears_out_are_left_out_and_counted() -> None:
    facts = "- Mina lives in Busan since May\n- Robin is a software engineer and has a house in Seoul"
    assert checks.borne_facts(facts, LINES) == ("- Mina lives in Busan since May", 1)
    with pytest.raises(UngroundedAnswer, match="No message bears out any of the 1 facts"):
        checks.borne_facts("- Mina is allergic to peanuts", LINES)


def test_copied_lines_are_no_facts() -> None:
    copied = "- Mina: I moved to Busan in May\n- Robin is allergic to peanuts"
    assert checks.borne_facts(copied, LINES) == ("- Robin is allergic to peanuts", 1)


def test_a_quote_says_which_message_it_is_and_must_be_there() -> None:
    note = TypedNote("fact", "Robin is allergic to peanuts.", 1, quote="allergic to peanuts")
    (kept,), lost = checks.borne_notes([note], LINES)
    assert (kept.message, lost) == (2, 0)
    with pytest.raises(UngroundedAnswer):
        checks.borne_notes([TypedNote("fact", "Robin is allergic to peanuts.", 2, quote="deadly allergic")], LINES)


def test_of_a_summary_the_sentences_with_other_names_are_left_out() -> None:
    summary = "Mina moved to Busan in May. Robin is allergic to peanuts. They met Clara in Paris."
    assert checks.borne_summary(summary, LINES) == ("Mina moved to Busan in May. Robin is allergic to peanuts.", 1)
    with pytest.raises(UngroundedAnswer):
        checks.borne_summary("Then Clara met Paul in Paris. He gave Clara 500 euros.", LINES)


def test_a_summary_tells_what_several_said_together() -> None:
    lines = [line("Robin", "the deposit is 500, due Friday"), line("Mina", "paid it this morning")]
    assert checks.borne_summary("Mina paid the deposit of 500.", lines) == ("Mina paid the deposit of 500.", 0)
    own = [line("Robin", "I paid 500"), line("Mina", "great")]
    with pytest.raises(UngroundedAnswer):
        checks.borne_summary("Mina paid 500.", own)


PROMPT = "Extract the facts.\n- specific places, dates, times, food, names, numbers\nDo not invent anything."


@pytest.mark.parametrize(
    "answer",
    [
        "The trip is planned. " * 40,
        "여행을 계획했다. " * 40,
        "=== EXISTING_SUMMARY ===\nMina moved.",
        "Mina moved.</conversation>",
        "<|im_start|>assistant Mina moved.",
        "specific places, dates, times, food, names, numbers",
        "Mina: I moved to Busan in May\nRobin: I am allergic to peanuts",
        "#1 Mina: I moved to Busan in May",
    ],
)
def test_loops_marks_and_echoes_are_no_answers(answer: str) -> None:
    material = "<conversation>\nMina: I moved to Busan in May\nRobin: I am allergic to peanuts\n</conversation>"
    with pytest.raises(UngroundedAnswer):
        checks.check_prose(answer, material, PROMPT)


@pytest.mark.parametrize(
    "answer",
    ["Mina moved to Busan in May, and Robin is allergic to peanuts.", "Mina said: I moved to Busan in May", "ok"],
)
def test_other_answers_pass(answer: str) -> None:
    assert checks.check_prose(answer, "Mina: I moved to Busan in May", PROMPT) == answer
