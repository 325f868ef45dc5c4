"""Times in messages that are still to come, and those that were, in seven languages."""

from __future__ import annotations

import time
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
    "My sister arrives on Saturday",
    "We have to hand it in on Monday",
    "I need to see the dentist in two weeks, remind me",
    "My parents will be here in April",
    "I'm starting a new job in January!",
    "Our anniversary is in three weeks",
    "Nächste Prüfung: ich schreibe sie am Montag",
    "Im Juni machen wir Urlaub in Italien",
    "Meine Eltern kommen am Samstag zu Besuch",
    "In drei Tagen habe ich Geburtstag",
    "Mes parents arrivent samedi",
    "On fera une fête en juin",
    "Il faut que je finisse lundi",
    "Dans trois jours c'est mon anniversaire",
    "Je vais chez le dentiste vendredi",
    "Mis padres llegan el sábado",
    "En junio vamos a hacer una fiesta",
    "El lunes hay que entregar el informe",
    "Mi cumpleaños es dentro de tres días",
    "Iré al dentista el viernes",
    "토요일에 부모님이 오셔",
    "6월에 파티를 열 계획이야",
    "월요일까지 말고 화요일에 제출해야 해",
    "3일 후가 내 생일이야",
    "금요일에 치과 가",
    "周六我爸妈会来",
    "六月我们准备办个派对",
    "星期一得交报告",
    "三天后是我的生日",
    "周五要去看牙医",
    "土曜日に両親が来る",
    "六月にパーティーを開く予定です",
    "月曜日に報告書を出さないといけない",
    "三日後は私の誕生日です",
    "金曜日に歯医者に行く",
    "Grandma turns ninety on Sunday",
    "We're hosting dinner on Saturday, want to join?",
    "I should hear back from them on Thursday",
    "Can you pick me up on Tuesday?",
    "The landlord raises the rent in April",
    "My contract runs out in June",
    "Exam results come out in ten days",
    "Am Donnerstag habe ich einen Zahnarzttermin",
    "Kannst du mich am Dienstag abholen?",
    "Oma wird am Sonntag neunzig",
    "Der Vertrag läuft im Juni aus",
    "In zehn Tagen kommen die Ergebnisse",
    "Wir sehen uns dann am Samstag beim Essen",
    "Jeudi j'ai rendez-vous chez le dentiste",
    "Tu peux venir me chercher mardi ?",
    "Mamie aura quatre-vingt-dix ans dimanche",
    "Mon contrat se termine en juin",
    "Les résultats sortent dans dix jours",
    "On vous attend samedi pour dîner",
    "El jueves tengo cita con el dentista",
    "¿Puedes recogerme el martes?",
    "La abuela cumple noventa el domingo",
    "Mi contrato termina en junio",
    "Los resultados salen dentro de diez días",
    "Os esperamos el sábado para cenar",
    "목요일에 치과 예약이 있어",
    "화요일에 나 좀 데리러 올 수 있어?",
    "6월에 계약이 끝나",
    "10일 뒤에 결과가 나와",
    "토요일에 같이 저녁 먹을래?",
    "星期四我约了牙医",
    "星期二你能来接我吗",
    "我的合同六月到期",
    "十天后出成绩",
    "星期六来我家吃饭吧",
    "木曜日に歯医者の予約がある",
    "火曜日に迎えに来てくれる？",
    "日曜日に祖母が九十歳になる",
    "六月に契約が切れる",
    "十日後に結果が出る",
    "土曜日、一緒に夕食どう？",
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
    "The package arrived on Saturday",
    "It snowed a lot in January",
    "We hiked up there on Sunday, it was great",
    "I quit my job in February because I was tired",
    "On Tuesday we talked about what she wants to do",
    "Am Sonntag waren wir wandern",
    "Im Januar hat es viel geschneit",
    "Ich habe im Februar gekündigt",
    "Samedi on est allés à la plage",
    "En janvier il a beaucoup neigé",
    "J'ai quitté mon travail en février",
    "El sábado fuimos a la playa",
    "En enero nevó mucho",
    "Dejé mi trabajo en febrero",
    "토요일에 바다에 갔다 왔어",
    "1월에 눈이 많이 왔다",
    "2월에 회사를 그만뒀어",
    "周六我们去海边玩了",
    "一月下了很多雪",
    "我二月辞职了",
    "土曜日に海へ行った",
    "一月に雪がたくさん降った",
    "二月に会社を辞めた",
    "My wallet got stolen on Monday",
    "In June we drove along the coast",
    "We did the whole trail in four days",
    "Am Montag wurde mir der Geldbeutel geklaut",
    "Im Juni waren wir an der Küste",
    "Lundi on m'a volé mon portefeuille",
    "En juin nous avons longé la côte",
    "El lunes me robaron la cartera",
    "En junio recorrimos la costa",
    "월요일에 지갑을 도둑맞았어",
    "6월에 해안을 따라 여행했어",
    "星期一我的钱包被偷了",
    "六月我们沿着海岸自驾游了一圈",
    "月曜日に財布を盗まれた",
    "六月に海岸を旅行した",
    "I can still smell the smoke from Friday",
    "Do you remember what Ana said on Monday?",
    "I told you on Tuesday that I will call him",
    "They had to cancel the show on Saturday",
    "We should have left on Sunday",
    "She said she was going to come on Thursday",
    "Thanks for the lovely evening on Saturday, I needed it",
    "In May I got the job, now I have to move",
    "Danke noch mal für Samstag, es war toll",
    "Ich musste am Freitag lange arbeiten",
    "Am Montag wurde der Vertrag unterschrieben",
    "Wir wollten im Mai nach Rom, aber es kam anders",
    "Merci encore pour samedi, c'était super",
    "Je devais travailler vendredi",
    "En mai j'ai failli tout perdre",
    "Elle allait partir en mars mais elle est restée",
    "Gracias por lo del sábado, fue genial",
    "Tuve que trabajar el viernes",
    "En mayo casi lo pierdo todo",
    "Iba a irme en marzo pero me quedé",
    "토요일 정말 고마웠어",
    "금요일에 야근해야 했어",
    "3월에 떠나려고 했는데 못 갔어",
    "5월에 산 자전거가 고장났어",
    "星期六谢谢你，玩得很开心",
    "星期五我不得不加班到十点",
    "三月本来想走，结果没走成",
    "五月买的自行车坏了",
    "土曜日は本当にありがとう",
    "金曜日は残業しなければならなかった",
    "三月に行くつもりだったけど、やめた",
    "五月に買った自転車が壊れた",
    "월요일에 회의가 길어졌어",
    "周一的会开了三个小时",
    "月曜の会議は三時間もかかった",
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
        ("이틀 뒤에 이사 가", (2, 1)),
        ("수술 이틀 뒤에 퇴원했어", None),
        ("半年后我要去日本", (166, 31)),
        ("手术半个月后他出院了", None),
        ("半年後に帰国する", (166, 31)),
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


def test_a_long_message_full_of_times_costs_little() -> None:
    """Eight times of a sentence are looked at, and what is near them: else 160 of them took 130 ms."""
    text = "in two weeks " * 160
    when.happened("in two weeks", SAID)  # which reads the tables
    started = time.process_time()
    when.happened(text, SAID)
    assert time.process_time() - started < 0.05
