"""The types of the blocking API are those of the declarations."""

from __future__ import annotations

from erstwhile.api import stub
from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.api.resource import RESOURCES
from erstwhile.api.verb import parameters, returns, verbs
from erstwhile.base.page import DEFAULT
from erstwhile.client.calls import page_item

MOST_VERBS = 14
# What somebody set up, what one question or one memory has, or what has a fixed number of entries.
WHOLE = {
    "configuration", "prompts", "keys", "listening", "queue", "remembered", "history", "noted", "ids/{prefix}",
    "recommendations", "doctor", "search",
}  # fmt: skip


def test_the_stub_is_as_the_script_writes_it() -> None:
    assert stub.FILE.read_text(encoding="utf-8") == stub.text(), "Run `python -m erstwhile.api.stub`."


def test_no_object_has_more_verbs_than_one_can_see() -> None:
    for owner in (Memory, Channel, *RESOURCES.values()):
        assert len(verbs(owner)) <= MOST_VERBS, owner
        assert owner.__mro__[1].__name__ == "Resource", f"{owner} is no plain object"


def test_every_verb_says_what_it_does() -> None:
    for owner in (Memory, Channel, *RESOURCES.values()):
        for each in verbs(owner):
            assert each.summary.split()[0].istitle(), each.name
            assert len(each.summary) < 120, each.summary


def test_every_list_is_paged_in_the_same_way() -> None:
    whole = set()
    for owner in (Memory, Channel, *RESOURCES.values()):
        for each in verbs(owner):
            known = parameters(each)
            assert "offset" not in known
            if page_item(returns(each)) and "cursor" not in known:
                whole.add(each.path.removeprefix("memories/{id}/").removeprefix("people/{person}/"))
            elif page_item(returns(each)):
                assert known["limit"].default == DEFAULT, each.path
    assert whole == WHOLE
