"""When it happened and the names in a message are stored ahead of its terms, and are no terms."""

from __future__ import annotations

from erstwhile.index import markers
from erstwhile.index.part import joined
from erstwhile.index.segment import Segment
from index.rows import row

DAY = 86_400_000_000


def test_markers_become_columns_and_no_terms() -> None:
    segment = Segment(talk=True)
    spelt = markers.spell((-3, 7), ["ahn", "seoul"])
    segment.add([{**row(1, []), "at": 100 * DAY + 5, "terms": " ".join([*spelt, "we", "met"])}])
    columns = {
        name: segment.columns[name].tolist() for name in ("size", "first_day", "days", "name0", "name1", "name2")
    }
    names = [[markers.name_key("ahn")], [markers.name_key("seoul")], [0]]
    assert list(columns.values()) == [[2], [97], [7], *names]
    assert not segment.knows("=ahn")
    assert segment.knows("met")


def test_copies_of_a_text_are_copies_whenever_they_were_said() -> None:
    segment = Segment(talk=True)
    texts = ("we met", "@-1:1 we met", "=ahn we met")
    segment.add([{**row(doc, []), "terms": text} for doc, text in enumerate(texts, start=1)])
    assert len(set(segment.columns["words"].tolist())) == 1


def test_they_are_kept_where_parts_are_joined_and_go_with_their_document() -> None:
    import numpy as np

    segment = Segment(talk=True)
    segment.add([{**row(doc, []), "at": DAY, "terms": f"@{doc}:1 =name{doc} we met"} for doc in (1, 2, 3)])
    part = joined([segment.part()], np.array([2]))
    assert part.columns["first_day"].tolist() == [2, 4]
    assert part.columns["name0"].tolist() == [markers.name_key("name1"), markers.name_key("name3")]
