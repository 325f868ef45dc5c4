"""Requests in German, French, Spanish and Japanese, and talk that is none."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile.layers.remembered.route import EVERYTHING, ME, route

REMEMBER = [
    ("Merk dir, dass ich in Berlin wohne", "ich wohne in Berlin"),
    ("Merke dir bitte, dass ich Vegetarierin bin!", "ich bin Vegetarierin"),
    ("Bot, merk dir: meine Tochter heißt Emma", "meine Tochter heißt Emma"),
    ("Bitte merk dir, dass mein Hund Bruno heißt.", "mein Hund heißt Bruno"),
    ("Merk dir, dass Tom Tee mag", "Tom mag Tee"),
    ("Merk dir, dass ich um sechs aufstehe", "ich stehe um sechs auf"),
    ("Kannst du dir merken, dass ich keine Nüsse esse?", "ich esse keine Nüsse"),
    ("Vergiss nicht, dass ich am 5. Mai Geburtstag habe", "ich habe am 5. Mai Geburtstag"),
    ("Denk daran, dass ich kein Fleisch essen darf", "ich darf kein Fleisch essen"),
    ("Ich bin gegen Nüsse allergisch, merk dir das", "Ich bin gegen Nüsse allergisch"),
    ("Souviens-toi que j'habite à Lyon", "j'habite à Lyon"),
    ("souviens toi que je suis végétarien", "je suis végétarien"),
    ("S'il te plaît, retiens que mon chien s'appelle Rex.", "mon chien s'appelle Rex"),
    ("N'oublie pas que je suis allergique aux noix !", "je suis allergique aux noix"),
    ("note : ma fille s'appelle Emma", "ma fille s'appelle Emma"),
    ("Bot, souviens-toi que Florent aime le thé", "Florent aime le thé"),
    ("Peux-tu retenir que je travaille de nuit ?", "je travaille de nuit"),
    ("Je ne mange pas de viande, retiens-le", "Je ne mange pas de viande"),
    ("Recuerda que vivo en Madrid", "vivo en Madrid"),
    ("recuerda que no como carne", "no como carne"),
    ("Por favor, recuerda que mi hija se llama Emma.", "mi hija se llama Emma"),
    ("Acuérdate de que soy celíaco", "soy celíaco"),
    ("Apunta: mi cumpleaños es el 5 de mayo", "mi cumpleaños es el 5 de mayo"),
    ("no olvides que soy alérgica a las nueces", "soy alérgica a las nueces"),
    ("Bot, recuerda que Florent prefiere el té", "Florent prefiere el té"),
    ("¿Puedes recordar que trabajo de noche?", "trabajo de noche"),
    ("私は大阪に住んでいると覚えておいて", "私は大阪に住んでいる"),
    ("私がベジタリアンだということを覚えておいてください", "私がベジタリアンだ"),
    ("私の誕生日は5月3日だと覚えておいて", "私の誕生日は5月3日だ"),
    ("僕はナッツアレルギーがある。覚えておいて", "僕はナッツアレルギーがある"),
    ("ボット、私が猫を二匹飼っていることを覚えておいてね", "私が猫を二匹飼っている"),
    ("私はコーヒーが好きだって覚えといて", "私はコーヒーが好きだ"),
    ("私がナッツを食べられないことを忘れないで", "私がナッツを食べられない"),
]
THIS = [
    ("Merk dir das", ME),
    ("merk dir das über Florent", "Florent"),
    ("retiens ça", ME),
    ("souviens-toi de ça à propos de Florent", "Florent"),
    ("recuerda esto", ME),
    ("apunta esto sobre Florent", "Florent"),
    ("これを覚えておいて", ME),
    ("ミナさんについてこれを覚えておいて", "ミナ"),
]
FORGET = [
    ("Vergiss, dass ich Pizza mag", "", "ich mag Pizza"),
    ("vergiss meine Adresse", "", "meine Adresse"),
    ("Bitte vergiss, was ich dir über meinen Job gesagt habe", "", "meinen Job"),
    ("Vergiss alles über mich", ME, EVERYTHING),
    ("Vergiss alles, was du über Florent weißt", "Florent", EVERYTHING),
    ("Oublie que j'aime la pizza", "", "j'aime la pizza"),
    ("oublie mon adresse", "", "mon adresse"),
    ("Oublie tout ce que tu sais sur moi", ME, EVERYTHING),
    ("Efface tout sur Florent", "Florent", EVERYTHING),
    ("Olvida que me gusta la pizza", "", "me gusta la pizza"),
    ("olvida mi dirección", "", "mi dirección"),
    ("Olvida todo lo que sabes de mí", ME, EVERYTHING),
    ("Borra todo sobre Florent", "Florent", EVERYTHING),
    ("私がピザを好きなことを忘れて", "", "私がピザを好きだ"),
    ("私の住所を忘れて", "", "私の住所"),
    ("私について覚えていることを全部忘れてください", ME, EVERYTHING),
    ("私の記憶を全部消して", ME, EVERYTHING),
]
ABOUT = [
    ("Was weißt du über mich?", ME),
    ("was weisst du alles von Florent", "Florent"),
    ("Wer ist Florent?", "Florent"),
    ("Wer bin ich?", ME),
    ("Qu'est-ce que tu sais sur moi ?", ME),
    ("Que sais-tu de Florent ?", "Florent"),
    ("Qui est Florent ?", "Florent"),
    ("qui suis-je ?", ME),
    ("¿Qué sabes de mí?", ME),
    ("qué recuerdas sobre Florent", "Florent"),
    ("¿Quién es Florent?", "Florent"),
    ("¿Quién soy?", ME),
    ("私について何を知っていますか？", ME),
    ("ミナさんのこと何か覚えてる？", "ミナ"),
    ("ミナさんは誰ですか？", "ミナ"),
]
TALK = [
    "Ich merke mir das",
    "Ich habe mir das gemerkt",
    "Erinnerst du dich an den Tag?",
    "Erinnere mich an den Termin",
    "Vergiss es",
    "Vergiss das",
    "vergiss mich",
    "Vergiss deine Sorgen",
    "Vergiss nicht, Milch zu kaufen",
    "Vergiss nicht, dass du morgen früh raus musst",
    "Denk daran, den Müll rauszubringen",
    "Denk dran, dass wir morgen fliegen müssen, sonst wird es teuer, sagt er",
    "Merk dir den Namen",
    "Merk dir eins: so geht das nicht",
    "Merk dir, was ich sage",
    "Merk dir, dass das so nicht geht",
    "Ich habe vergessen, dass ich einen Termin habe",
    "Er hat vergessen, dass ich Vegetarier bin",
    "Vergiss, dass ich das gesagt habe",
    "Vergiss alles, was ich gestern gesagt habe",
    "Ich weiß noch, dass ich damals in Berlin war",
    "Lösch die Datei",
    "Was weißt du denn schon",
    "Wer ist da?",
    "Vergiss nicht, dass wir morgen früh losmüssen",
    "N'oublie pas qu'on part à huit heures",
    "Recuerda que nos vemos mañana",
    "Je me souviens de ce jour-là",
    "Tu te souviens quand on s'est rencontrés ?",
    "Rappelle-moi d'acheter du lait",
    "N'oublie pas d'acheter du pain",
    "N'oublie pas que tu dois partir tôt",
    "Souviens-toi que tu es fort",
    "Souviens-toi de ce jour",
    "Souviens-toi que c'est important",
    "Rappelle-toi quand on était petits",
    "Oublie ça",
    "oublie-moi",
    "Oublie tes soucis",
    "Oublie que je te l'ai dit",
    "J'ai oublié mes clés",
    "Il a oublié que je suis végétarien",
    "Oublie tout ce que j'ai dit hier",
    "Efface le fichier",
    "Note que c'est fermé lundi",
    "Recuerdo que vivía en Madrid",
    "¿Recuerdas cuando nos conocimos?",
    "Recuerda cuando fuimos a Roma",
    "Recuerda que tienes que llamar a mamá",
    "Recuerda que mañana hay reunión",
    "Recuerda que eres fuerte",
    "Recuerda que todo pasa",
    "recuerda que esto no es un juego",
    "Recuérdame comprar leche",
    "No olvides comprar pan",
    "No te olvides de que hay que pagar",
    "Olvídalo",
    "olvídate de mí",
    "Olvida tus problemas",
    "Olvidé mis llaves",
    "Se olvidó de que soy vegetariano",
    "Olvida que te lo dije",
    "Olvida todo lo que dije ayer",
    "Borra el archivo",
    "apunta bien",
    "それは覚えている",
    "あの日のことを覚えてる？",
    "覚えておくね",
    "覚えておいて",
    "傘を忘れないで",
    "鍵を忘れないでね",
    "鍵を忘れて出かけた",
    "嫌なことは忘れて",
    "そのことは忘れて",
    "私のことは忘れて",
    "もう忘れて",
    "忘れた",
    "このパスワードを覚えておいて",
    "人は一人じゃないって覚えておいて",
    "それは大事なことだと覚えておいて",
    "ファイルを削除して",
    "写真を消してください",
    "誰ですか？",
]


@pytest.mark.parametrize(("text", "fact"), REMEMBER)
def test_a_request_to_remember(text: str, fact: str) -> None:
    routed = route(text)
    assert routed is not None
    assert (routed.intent, routed.fact, routed.before) == ("remember", fact, False)


@pytest.mark.parametrize(("text", "whom"), THIS)
def test_a_request_to_remember_what_was_just_said(text: str, whom: str) -> None:
    routed = route(text)
    assert routed is not None
    assert (routed.intent, routed.whom, routed.fact, routed.before) == ("remember", whom, "", True)


@pytest.mark.parametrize(("text", "whom", "fact"), FORGET)
def test_a_request_to_forget(text: str, whom: str, fact: str) -> None:
    routed = route(text)
    assert routed is not None
    assert (routed.intent, routed.whom, routed.fact) == ("forget", whom, fact)


@pytest.mark.parametrize(("text", "whom"), ABOUT)
def test_a_question_what_is_known(text: str, whom: str) -> None:
    routed = route(text)
    assert routed is not None
    assert (routed.intent, routed.whom) == ("about", whom)


@pytest.mark.parametrize("text", TALK)
def test_ordinary_talk_is_left_alone(text: str) -> None:
    routed = route(text)
    assert routed is None or (routed.intent == "about" and not routed.sure), routed


def test_a_long_hostile_line_is_sorted_quickly() -> None:
    for piece in ("merk dir, dass ", "oublie que ", "recuerda que ", "を覚えておいて", "私が"):
        route(piece * 2000)
        route(piece + "ich a, " * 250)


@pytest.mark.parametrize(
    ("remember", "told", "forget"),
    [
        ("Merk dir, dass ich in Berlin wohne", "Berlin", "Vergiss, dass ich in Berlin wohne"),
        ("Souviens-toi que j'habite à Lyon", "Lyon", "Oublie que j'habite à Lyon"),
        ("Recuerda que vivo en Madrid", "Madrid", "Olvida que vivo en Madrid"),
        ("私は大阪に住んでいると覚えておいて", "大阪", "私が大阪に住んでいることを忘れて"),
    ],
)
async def test_what_was_remembered_is_known_and_can_be_forgotten(
    memory: erstwhile.Memory, remember: str, told: str, forget: str
) -> None:
    chat = memory.channel("group")
    await chat.add("user", "hi", person="mina", name="Mina")
    done = await chat.command(remember, person="mina", name="Mina")
    assert (done.intent, done.person, done.found) == ("remember", "mina", True)
    (text,) = await memory.people.remembered("mina")
    assert told in text.text
    assert text.text.startswith("Mina")
    gone = await chat.command(forget, person="mina", name="Mina")
    assert (gone.intent, gone.found) == ("forget", True)
    assert not [each for each in await memory.people.remembered("mina") if each.text]
