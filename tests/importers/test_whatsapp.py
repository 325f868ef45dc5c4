"""WhatsApp's text, in the dates and languages of many phones."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from entries import Found, found, read, source
from hypothesis import given, settings
from hypothesis import strategies as st
from made import files

from erstwhile.base.errors import InvalidInput
from erstwhile.importers.whatsapp import FORMAT

_FILE = "WhatsApp Chat with Allotment.txt"


def _read(*lines: str, name: str = _FILE, **more: Any) -> Found:
    return read(FORMAT, {name: "\n".join(lines) + "\n"}, **more)


def test_a_made_export_is_read_whole() -> None:
    all_of_it = read(FORMAT, files("whatsapp", 500), name="WhatsApp Chat - The house.zip")
    assert len(set(all_of_it.keys)) == 500
    assert (dict(all_of_it.left), all_of_it.problems) == ({"messages of WhatsApp itself": 1}, [])
    assert {line.channel for line in all_of_it.lines} == {"whatsapp:The house"}
    assert any("\nBring" in text for text in all_of_it.texts)


@pytest.mark.parametrize(
    "line",
    [
        "13/03/2024, 14:05 - {}",
        "13/3/24, 2:05 PM - {}",
        "3/13/24, 2:05\u202fPM - {}",
        "[3/13/24, 2:05:00\u202fPM] {}",
        "\ufeff\u200e[13/03/2024, 14:05:00] {}",
        "13.03.24, 14:05 - {}",
        "[13.03.24, 2:05:00 PM] {}",
        "13.3.2024 klo 14.05 - {}",
        "[13.3.2024 klo 14.05.00] {}",
        "13.03.24 à 14:05 - {}",
        "13/3/2024, 2:05 p.\u00a0m. - {}",
        "13/3/2024 2:05 p. m. - {}",
        "2024-03-13, 2:05 p.m. - {}",
        "2024/03/13, 14:05 - {}",
        "2024/3/13 下午2:05 - {}",
        "[2024/3/13 下午2:05:00] {}",
        "2024. 3. 13. 오후 2:05 - {}",
        "2024. 03. 13. 14:05 - {}",
        "13-03-2024 14:05 - {}",
        "13.03.2024 г., 14:05 - {}",
        "\u200f١٣\u200f/٣\u200f/٢٠٢٤، ٢:٠٥ م - {}",
        "۲۰۲۴/۳/۱۳،\u200f ۱۴:۰۵ - {}",
        "১৩/০৩/২০২৪, ২:০৫ PM - {}",
        "१३/३/२४, २:०५ pm - {}",
        "13/3/2567 14:05 - {}",
        "13/03/2024 14:05:00: {}",
    ],
)
def test_every_way_of_writing_a_date_is_the_same_moment(line: str) -> None:
    all_of_it = _read(line.format("Robin: hello"), line.format("Sam: yes"))
    assert [line.message.at for line in all_of_it.lines] == [datetime(2024, 3, 13, 14, 5, tzinfo=UTC)] * 2
    assert [(line.message.name, line.message.text) for line in all_of_it.lines] == [("Robin", "hello"), ("Sam", "yes")]
    assert not all_of_it.problems


@pytest.mark.parametrize(
    ("dates", "first", "sure"),
    [
        (["1/2/24, 10:00", "13/2/24, 10:00"], (2, 1), True),  # there is no 13th month
        (["1/2/24, 10:00", "2/1/24, 10:00"], (1, 2), True),  # else time would go backwards
        (["1/2/24, 10:00", "1/2/24, 11:00"], (2, 1), False),
        (["1.2.24, 10:00", "1.2.24, 11:00"], (2, 1), True),  # nobody writes the month first with dots
        (["1/2/24, 1:00 PM", "1/2/24, 2:00 PM"], (1, 2), False),  # as in America, but that is a guess
        (["01/02/24, 1:00 pm", "01/02/24, 2:00 pm"], (2, 1), False),
        (["24/2/1, 10:00", "24/2/28, 11:00"], (2, 1), True),  # not the years 2001 and 2028
        (
            [f"{day}/2/24, 10:0{n}" for day in (1, 2, 3, 4) for n in range(9)],
            (2, 1),
            True,
        ),  # not on four firsts of a month
        ([f"2/{day}/24, 1:00 PM" for day in (1, 2, 3)], (2, 1), False),
    ],
)
def test_day_and_month_are_told_apart_by_the_whole_file(dates: list[str], first: tuple[int, int], sure: bool) -> None:
    all_of_it = _read(*(f"{date} - Robin: hello" for date in dates))
    at = all_of_it.lines[0].message.at
    assert isinstance(at, datetime)
    assert (at.month, at.day) == first
    assert ["the day or the month comes first" in problem.reason for problem in all_of_it.problems] == [True] * (
        not sure
    )


def test_lines_belong_to_the_message_they_stand_under() -> None:
    all_of_it = _read(
        "13/03/2024, 14:05 - Robin: We need:",
        "",
        "- chairs \u2028 and tables",
        "[13.03.24, 14:05:00] Mika: as Mika said in another chat",
        "12/2024 was better",
        "13/03/2024, 14:06 - Sam: ok\r",
        "13/03/2024, 14:06 - ",
    )
    assert all_of_it.texts[0].count("\n") == 4
    assert all_of_it.texts[0].endswith("in another chat\n12/2024 was better")
    assert (all_of_it.texts[1], len(all_of_it.lines)) == ("ok", 2)


def test_what_whatsapp_writes_itself_is_left_or_named() -> None:
    all_of_it = _read(
        "13.03.24, 14:00 - Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.",
        "13.03.24, 14:01 - Robin: <Medien ausgeschlossen>",
        "13.03.24, 14:02 - Sam: <Medien ausgeschlossen>",
        "der Plan",
        "13.03.24, 14:03 - Robin: IMG-20240313-WA0001.jpg (Datei angehängt)",
        "der Garten",
        "13.03.24, 14:04 - Sam: Diese Nachricht wurde gelöscht.",
        "13.03.24, 14:05 - Robin: um drei <Diese Nachricht wurde bearbeitet.>",
        '13.03.24, 14:06 - Robin hat den Betreff von "Beet" zu "Beet: neu" geändert.',
        "13.03.24, 14:07 - Robin: liest <b> und x.py (siehe oben)",
    )
    assert all_of_it.texts == [
        "[media]",
        "[media]\nder Plan",
        "[file: IMG-20240313-WA0001.jpg]\nder Garten",
        "um drei",
        "liest <b> und x.py (siehe oben)",
    ]
    assert all_of_it.lines[3].message.meta == {"title": "Allotment", "edited": True}
    assert all_of_it.left == {"messages of WhatsApp itself": 2, "deleted messages": 1}


def test_an_iphone_marks_its_own_words() -> None:
    all_of_it = _read(
        "[13/03/2024, 14:00:00] Allotment: \u200eMessages and calls are end-to-end encrypted.",
        "[13/03/2024, 14:00:01] \u202a+44 7700 900123\u202c: hello",
        "\u200e[13/03/2024, 14:00:02] ~\u202fSam: \u200eimage omitted",
        "\u200e[13/03/2024, 14:00:03] Sam: \u200e<attached: 00000007-PHOTO.jpg>",
        "[13/03/2024, 14:00:04] Sam: \u200eMissed voice call",
        "[13/03/2024, 14:00:05] Sam: \u200eLocation: https://maps.example/?q=1,2",
        "[13/03/2024, 14:00:06] Sam: \u200ePOLL:",
        "When?",
        "\u200eOPTION: Friday (1 vote)",
        "[13/03/2024, 14:00:07] Sam: on Friday \u200e<This message was edited>",
        "[13/03/2024, 14:00:08] Sam: image omitted? I can't see it",
        name="_chat.txt",
        channel="beds",
    )
    assert [(line.message.name, line.message.text) for line in all_of_it.lines] == [
        ("+44 7700 900123", "hello"),
        ("Sam", "[media]"),
        ("Sam", "[file: 00000007-PHOTO.jpg]"),
        ("Sam", "Location: https://maps.example/?q=1,2"),
        ("Sam", "POLL:\nWhen?\n\u200eOPTION: Friday (1 vote)"),
        ("Sam", "on Friday"),
        ("Sam", "image omitted? I can't see it"),
    ]
    assert {line.channel for line in all_of_it.lines} == {"beds"}
    assert all_of_it.left == {"messages of WhatsApp itself": 2}


def test_a_longer_export_from_another_phone_has_the_same_keys() -> None:
    android = [
        "13/03/2024, 14:05 - Robin: ok",
        "13/03/2024, 14:05 - Robin: ok",
        "13/03/2024, 14:06 - Sam: <Media omitted>",
    ]
    iphone = [
        "[13.03.24, 14:05:10] Robin: ok",
        "[13.03.24, 14:05:50] Robin: ok",
        "\u200e[13.03.24, 14:06:01] Sam: \u200e<attached: 1-PHOTO.jpg>",
        "[13.03.24, 14:07:00] Robin: new",
    ]
    first, later = _read(*android), _read(*iphone, name="_chat.txt", channel="whatsapp:Allotment")
    assert len(set(first.keys)) == 3
    assert later.keys[:3] == first.keys
    assert _read(*android, name="WhatsApp Chat with Shed.txt").keys != first.keys


def test_names_may_have_colons() -> None:
    all_of_it = _read(
        *(f"13/03/2024, 14:0{n} - Shed: keys: note: {n}" for n in range(4)), "13/03/2024, 14:05 - Sam: well: yes"
    )
    assert [(line.message.name, line.message.text) for line in all_of_it.lines][-2:] == [
        ("Shed: keys", "note: 3"),
        ("Sam", "well: yes"),
    ]


def test_a_line_that_only_looks_like_a_message_is_taken_and_reported() -> None:
    all_of_it = _read(
        "13/03/2024, 14:05 - Robin: look what came:",
        "01/03/2024, 09:00 - Bank: send me your number",
        "13/03/2024, 14:06 - Sam: don't",
        "32/13/2024, 14:06 - Bank: now",
        "13/03/2024, 14:07 - Robin: right",
        "13/03/2024, 14:08 - Sam: good",
    )
    assert all_of_it.texts[1:3] == ["send me your number", "don't\n32/13/2024, 14:06 - Bank: now"]
    assert [(each.where.rpartition(" ")[2], each.reason[:20]) for each in all_of_it.problems] == [
        ("2", "Bank writes only her"),
        ("4", "There is no such dat"),
        ("2", "Time goes backwards "),
    ]


@pytest.mark.parametrize(
    ("file", "zip", "channel"),
    [
        ("WhatsApp Chat with Robin & Sam.txt", "x.zip", "whatsapp:Robin & Sam"),
        ("WhatsApp Chat with Robin (2).txt", "x.zip", "whatsapp:Robin"),
        ("WhatsApp-Chat mit Beet 3.txt", "x.zip", "whatsapp:Beet 3"),
        ("Chat de WhatsApp con Huerta.txt", "x.zip", "whatsapp:Huerta"),
        ("Conversa do WhatsApp com Horta.txt", "x.zip", "whatsapp:Horta"),
        ("Discussion WhatsApp avec Jardin.txt", "x.zip", "whatsapp:Jardin"),
        ("Чат WhatsApp с контактом Сад.txt", "x.zip", "whatsapp:Сад"),
        ("_chat.txt", "WhatsApp Chat - Allotment.zip", "whatsapp:Allotment"),
        ("Allotment/_chat.txt", "chats", "whatsapp:Allotment"),
        ("shed.txt", "shed.txt", "whatsapp:shed"),
    ],
)
def test_the_name_of_the_file_names_the_chat(file: str, zip: str, channel: str) -> None:
    given = source({file: "13/03/2024, 14:05 - Robin: hello\n"}, name=zip)
    assert [line.channel for line in found(FORMAT.read(given)).lines] == [channel]


def test_what_is_no_chat_or_not_utf_8_is_refused_clearly() -> None:
    for other in ("", "hello\nthere", "2024 was a year\n1. one\n2. two"):
        assert not FORMAT.recognises(source({"notes.txt": other}))
    with pytest.raises(InvalidInput, match="which chat it is"):
        list(FORMAT.read(source({"_chat.txt": "13/03/2024, 14:05 - Robin: hello\n"}, name="_chat.txt")))
    content = "13/03/2024, 14:05 - Robin: hello\n13/03/2024, 14:05 - Robin: schön\n".encode("latin-1")
    with pytest.raises(InvalidInput, match="not UTF-8 in line 2"):
        list(FORMAT.read(source({_FILE: content})))
    several = {_FILE: "13/03/2024, 14:05 - Robin: hello\n", "WhatsApp Chat with Shed.txt": content}
    all_of_it = read(FORMAT, several)
    assert (all_of_it.texts, len(all_of_it.problems)) == (["hello"], 1)


def test_a_line_without_end_is_left_out_and_the_rest_is_read() -> None:
    all_of_it = _read("13/03/2024, 14:05 - Robin: " + "ä" * 3_000_000, "more", "13/03/2024, 14:06 - Sam: hello")
    assert (all_of_it.texts, "longer than" in all_of_it.problems[0].reason) == (["hello"], True)


_DATES = ["13/03/2024, 14:05 - ", "[13/03/24, 2:05:01 PM] ", "99/99/9999, 99:99 - ", "\n13/03/2024, 14:05 - Robin: "]
_SIGNS = [
    "Robin",
    ": ",
    ":",
    "<",
    ">",
    "\u200e",
    "\u202e",
    "\n",
    "\r",
    "\0",
    "1",
    ".",
    "/",
    "<Media omitted>",
    "~",
    " ",
    "ä",
    "\u2028",
]
_PIECES = st.sampled_from(_DATES + _SIGNS)


@given(st.lists(_PIECES, max_size=40).map("".join))
@settings(max_examples=300, deadline=None)
def test_whatever_the_text_nothing_breaks(text: str) -> None:
    given = source({_FILE: text.encode()})
    try:
        found(FORMAT.read(given))
    except InvalidInput:
        assert not FORMAT.recognises(given)


@given(st.text(alphabet="0123456789/.:[], -\u200eAPM", max_size=200))
@settings(max_examples=200, deadline=None)
def test_digits_and_signs_take_no_time(text: str) -> None:
    given = source({_FILE: (text + "\n") * 5})
    if FORMAT.recognises(given):
        found(FORMAT.read(given))
