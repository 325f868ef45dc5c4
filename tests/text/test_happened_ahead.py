"""Times in messages that are still to come, and those that were, in seven languages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from erstwhile.text import when

SAID = datetime(2026, 11, 18, 9, tzinfo=UTC)  # a Wednesday

AHEAD = [
    "I'm moving in March",
    "I'll move in March",
    "See you on Friday!",
    "I'm going to Paris in two weeks",
    "The party is in three days",
    "In March, I'll start the course",
    "We are flying to Rome on 3 May",
    "My exam is in two months",
    "let's meet on Monday",
    "The course starts in January.",
    "Ich werde im März umziehen",
    "Wir fahren am Freitag nach Rom",
    "In zwei Wochen ziehe ich um",
    "Am Montag fange ich an",
    "Wir wollen im Mai heiraten",
    "Am 3. Mai heirate ich",
    "Je vais déménager en mars",
    "On se voit vendredi",
    "Nous allons nous marier en mai",
    "Je pars dans deux semaines",
    "Elle viendra lundi",
    "Je déménagerai en mars",
    "Voy a mudarme en marzo",
    "Nos vemos el viernes",
    "Dentro de dos semanas viajo a Lima",
    "Viajaré a Lima en mayo",
    "El lunes tengo que trabajar",
    "Nos casaremos en mayo",
    "3월에 이사할 거야",
    "금요일에 갈게",
    "2주 후에 여행 갈 예정이야",
    "3일 뒤에 출발해",
    "금요일에 만나자",
    "5월에 결혼하려고 해",
    "三月我要搬家",
    "我打算五月结婚",
    "两周后放假",
    "星期五我会去北京",
    "周五见面吧",
    "三月に引っ越すつもりです",
    "金曜日に会いましょう",
    "二週間後に出発します",
    "五月に結婚する予定",
    "金曜日に東京へ行きます",
]

BACK = [
    "We moved in March",
    "I saw her on Friday",
    "I finished it in two weeks",
    "I was going to move in March",
    "I met Ana on Friday and I'll call her",
    "She got married in May",
    "I called Ana on Monday and she wants to come back",
    "I usually have had lunch on Sunday",
    "Ich bin im März umgezogen",
    "Wir sind am Freitag nach Rom gefahren",
    "Ich habe es in zwei Wochen geschafft",
    "Im Mai haben wir geheiratet",
    "J'ai déménagé en mars",
    "Vendredi j'ai vu Ana",
    "Elle est venue lundi",
    "Me mudé en marzo",
    "El viernes vi a Ana",
    "El lunes trabajé mucho",
    "Nos casamos en mayo del año pasado",
    "3월에 이사했어",
    "금요일에 갔어",
    "수술 3일 후 퇴원했어",
    "금요일에 친구를 만났어",
    "三月我搬家了",
    "我五月结婚了",
    "手术三天后出院了",
    "星期五我去了北京",
    "三月我去过上海",
    "三月に引っ越しました",
    "金曜日に会った",
    "手術の三日後に退院した",
    "五月に結婚した",
    "金曜日に東京へ行きました",
]


@pytest.mark.parametrize("text", AHEAD)
def test_what_is_to_come_is_the_next_such_time(text: str) -> None:
    found = when.happened(text, SAID)
    assert found
    assert found[0] > 0


@pytest.mark.parametrize("text", BACK)
def test_what_was_stays_the_latest_such_time(text: str) -> None:
    found = when.happened(text, SAID)
    assert found is None or found[0] < 0


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I'm moving in March", (103, 31)),
        ("See you on Wednesday", (7, 1)),
        ("We'll leave in November", (-17, 30)),  # it is not over
        ("We'll ski in winter", (13, 90)),
        ("I'll be there on the 12th", (24, 1)),
        ("I'll be there on the 20th", (2, 1)),
        ("I'll pay on 18 November", (0, 1)),
        ("I'll be in Rome from March to May", (103, 92)),
        ("We will start in early March", (103, 10)),
        ("I'll move in March 2026", (-262, 31)),  # said with its year
        ("We moved in March, and now I will rest", (-262, 31)),
        ("In March I'll be 30 and last Friday I fell", (-5, 1)),
        ("The party is in two weeks", (11, 7)),
        ("I leave in a month", (15, 31)),
        ("Twice in a week I ran", None),
    ],
)
def test_the_next_one(text: str, found: tuple[int, int] | None) -> None:
    assert when.happened(text, SAID) == found


def test_a_question_still_asks_for_what_was() -> None:
    """Only messages are read with the markers: a question for what I'll do is answered by what I said before."""
    (span,) = when.spans("What did I say I'll do in March?", SAID)
    assert (span.first, span.certain) == (datetime(2026, 3, 1, tzinfo=UTC), True)
    assert [each.certain for each in when.spans("What is in two weeks?", SAID)] == [False]


@pytest.mark.parametrize("said", [datetime(9999, 12, 31, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC)])
@pytest.mark.parametrize(
    "text", ["I'll come on the 30th", "I'll come in May", "I'll come on 29 February", "I'll come on Friday"]
)
def test_the_ends_of_the_calendar(text: str, said: datetime) -> None:
    when.happened(text, said)
