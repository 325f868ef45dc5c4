"""What several layers say of a person is said once, with every source, before anything is drawn."""

from __future__ import annotations

from datetime import UTC, datetime

from erstwhile.api.portraits import About
from erstwhile.context.facts_on_file import StatedFact
from erstwhile.dashboard import labels
from erstwhile.dashboard.people import knowledge
from erstwhile.dashboard.people.knowledge import Knowledge, KnownStatement
from erstwhile.dashboard.people.timeline import TimedMemory
from erstwhile.layers.profiles.model import ProfileFact
from erstwhile.layers.remembered.model import ToldText

AT = datetime(2026, 3, 1, tzinfo=UTC)


def entry(text: str, section: str = "bio", slot: str = "", value: str = "") -> KnownStatement:
    place = {"channel": "square", "seq": 5, "note": None, "said_by": None, "slot": slot, "value": value, "flag": ""}
    lasting = {"at": AT, "valid_to": None, "superseded_by": None, "writer": "w", "draft": False}
    fact = ProfileFact(id=f"prf_{text}", person="ann", section=section, text=text, **place, **lasting)
    return knowledge.of_profile(("ann", "Ann"), fact, {})


def held(text: str, value: str, seq: int, until: datetime | None = None) -> TimedMemory:
    return TimedMemory(f"str_{value}", "Home", text, value, AT, until, "bob", "hall", seq)


def test_what_is_said_twice_is_shown_once_with_both_sources() -> None:
    told = ToldText("tld_1", "ann", "", "Ann lives in Busan.\nis allergic to nuts", 1, "w", False, AT)
    fact = StatedFact("fct_1", "fact", "Ann (1 Mar 2026): my cat is Miso", "hall, 1 Mar", None, AT, None, "hall", 9)
    known = Knowledge(
        "ann",
        "Ann",
        About("ann", "Ann", facts=(fact,)),
        facts=(entry("Ann lives in Busan.", slot="home", value="Busan"), entry("Plays the cello.", "skills")),
        held=(held("Ann's home is Busan.", "busan", 7), held("Ann's home is Seoul.", "Seoul", 2, until=AT)),
        told=(told,),
    )
    made = knowledge.merge(known)
    assert [(each.group, each.words) for each in made] == [
        ("Bio", "Ann lives in Busan."),
        ("Skills", "Plays the cello."),
        ("Facts", "my cat is Miso"),
        ("Remembered", "is allergic to nuts"),
    ]
    busan = made[0]
    assert [source.place for source in busan.sources] == [("square", 5), ("hall", 7)]
    assert [source.said_by for source in busan.sources] == [None, "bob"]
    assert (busan.id, busan.twins) == ("prf_Ann lives in Busan.", ("str_busan",))
    assert (busan.line, busan.told) == ("Ann lives in Busan.", told)  # it can be forgotten here, too


def test_people_edit_their_own_profile_and_nothing_else() -> None:
    about = About("ann", "Ann", told="is allergic to nuts")
    known = Knowledge("ann", "Ann", about, facts=(entry("Plays the cello."),), held=(held("Home: Busan.", "Busan", 7),))
    assert [each.id for each in knowledge.merge(known, own=True)] == ["prf_Plays the cello.", "", ""]


def test_the_speaker_and_the_day_are_left_out_of_a_fact() -> None:
    for text in ("Jun (10 Jan 2026): I stay here", "Jun (jun) (2026년 1월 31일): I stay here", "I stay here"):
        assert labels.without_speaker(text, "Jun", "jun") == "I stay here"
    others = "assistant (1 Mar 2026): Recorded"
    assert labels.without_speaker(others, "Jun", "jun") == others
