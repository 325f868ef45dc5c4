"""Days, portraits, what is gathered for a person, and consolidated facts must be borne out by their sources."""

from __future__ import annotations

from dataclasses import replace

import pytest
from profiled import DAY, fact, note

from erstwhile.base.errors import UngroundedAnswer
from erstwhile.configuration.visibility import Audiences
from erstwhile.layers.days import batch
from erstwhile.layers.days.batch import DaySection
from erstwhile.layers.profiles import consolidate
from erstwhile.layers.profiles.consolidate import ConsolidationPlan, Material, MergedFact
from erstwhile.layers.profiles.consolidation import alike
from erstwhile.layers.profiles.model import ProfileFact
from erstwhile.layers.remembered import gather
from erstwhile.layers.remembered.gather import GatheredSentence
from erstwhile.log.model import Message
from erstwhile.testing import FixedClock
from erstwhile.writers import checks

NAMES = {"alice": "Alice", "bob": "Bob"}


def said(seq: int, person: str, text: str) -> Message:
    return Message(f"msg_{seq}", seq, "user", person, NAMES[person], text, FixedClock()(), None, None, {})


SECTION = DaySection("", (said(1, "alice", "I moved to Busan"), said(2, "bob", "I bought 3 cups at the market")))


def test_a_sentence_of_a_day_with_an_invented_name_is_left_out_and_counted() -> None:
    told = {("", "alice"): "Alice moved to Busan. She met Robin in Seoul.", ("", "bob"): "Bob bought 3 cups."}
    kept, lost = batch.borne(told, [SECTION], NAMES)
    assert kept == {("", "alice"): "Alice moved to Busan.", ("", "bob"): "Bob bought 3 cups."}
    assert lost == 1


def test_who_has_nothing_left_of_a_day_is_left_to_a_draft() -> None:
    told = {("", "alice"): "Alice flew to Toronto with Robin.", ("", "bob"): "Bob bought 3 cups."}
    assert batch.borne(told, [SECTION], NAMES) == ({("", "bob"): "Bob bought 3 cups."}, 1)
    with pytest.raises(UngroundedAnswer):
        batch.borne({("", "bob"): "Bob bought 17 cups in Seoul."}, [SECTION], NAMES)


def test_a_portrait_keeps_only_what_its_parts_tell() -> None:
    parts = ("Alice lives in Busan.", "Alice bought 3 cups.", "")
    text = "Alice lives in Busan. She bought 3 cups. She has a house in Toronto."
    assert checks.borne_text(text, parts, "Alice") == ("Alice lives in Busan. She bought 3 cups.", 1)


def test_what_is_gathered_for_a_person_is_in_the_message_it_names() -> None:
    messages = [said(1, "alice", "I moved to Busan last year"), said(2, "bob", "Alice is allergic to walnuts")]
    check = gather.ask("alice", messages, NAMES).check
    assert check is not None
    true = GatheredSentence("Alice is allergic to walnuts.", "bob", 2)
    invented = GatheredSentence("Alice is a software engineer in Toronto.", "alice", 1)
    assert check([true, invented]) == ([true], 1)
    with pytest.raises(UngroundedAnswer):
        check([invented])


def seen(*facts: ProfileFact, notes: bool = False) -> Material:
    read = [note("9", first_seq=1, last_seq=3, title="Music", text="Alice plays the cello.")] if notes else []
    return consolidate.material("alice", facts, read, NAMES, Audiences({"chat": ""}, {}))


def test_a_consolidated_fact_has_no_name_or_number_of_its_own() -> None:
    known = seen(fact("Alice lives in Seoul.", 1), fact("Alice lives in the Mapo district of Seoul.", 2))
    ids = tuple(each.id for each in known.facts)
    good = MergedFact("bio", "Alice lives in Mapo in Seoul.", ids)
    bad = MergedFact("bio", "Alice lives in Mapo in Seoul with Robin since 1999.", ids)
    plan, lost = consolidate.borne(ConsolidationPlan((good, bad)), known)
    assert (plan.merged, lost) == ((good,), 1)


def test_there_is_nothing_to_consolidate_where_nothing_is_alike() -> None:
    green, black = fact("Alice likes green tea.", 2), fact("Alice likes black tea.", 1)
    assert not alike(seen(fact("Alice lives in Seoul.", 1), green))
    assert alike(seen(black, green))
    assert not alike(seen(fact("Alice lives in Seoul.", 1), green, notes=True)), "a note is no reason by itself"
    assert not alike(seen(fact("Alice lives in Seoul.", 1), notes=True))
    assert not alike(seen(fact("Alice likes tea.", 1), fact("Alice likes coffee.", 2), fact("Alice likes jazz.", 3)))
    assert alike(seen(fact("Alice is a nurse.", 1), fact("Alice works as a nurse at the hospital.", 2)))
    assert alike(seen(fact("Alice has a cat.", 1, slot="pet"), fact("Alice got a dog.", 2, slot="pet")))
    assert not alike(seen(black, replace(green, said_by="bob"))), "the words of two people stay apart"
    assert not alike(seen(replace(black, edited_at=DAY), replace(green, flag="authority"))), "only people change these"
