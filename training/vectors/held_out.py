"""What is never trained on: documents held out of the sources, and sets used for evaluation alone.

An evaluation set is questions, a pool of texts, and which of the pool answer each question.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from repositories import Repositories
from sources import Pair, sentences, squad, turns

_MOST_QUESTIONS: Final = 1000
_HALVES: Final = ("XQuAD", "SQuAD-es")  # translations of the same articles: half of them, in every language


def held_out(source: str, document: str) -> bool:
    """Whether a document is kept for evaluation: a tenth of all, half of the articles of SQuAD."""
    family = "SQuAD" if source in _HALVES else source
    number = int(hashlib.sha256(f"{family}|{document}".encode()).hexdigest()[:8], 16)
    return number % (2 if source in _HALVES else 10) == 0


@dataclass
class EvaluationSet:
    name: str
    language: str
    questions: list[str] = field(default_factory=list)
    pool: list[str] = field(default_factory=list)
    answers: list[list[int]] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def text(self, text: str) -> int:
        if text not in self.places:
            self.places[text] = len(self.pool)
            self.pool.append(text)
        return self.places[text]

    def ask(self, question: str, answers: Iterable[str]) -> None:
        self.questions.append(question)
        self.answers.append(sorted({self.text(each) for each in answers}))

    def thinned(self) -> EvaluationSet:
        """Ask at most a thousand questions, evenly chosen. The pool stays whole."""
        step = -(-len(self.questions) // _MOST_QUESTIONS) or 1
        self.questions, self.answers = self.questions[::step], self.answers[::step]
        return self


def evaluation_sets(read: Repositories, pairs: Iterable[Pair]) -> Iterator[EvaluationSet]:
    yield _friends(read)
    yield _dialogues(read, "dream-en", "en", "nlpdata/dream", ("data/dev.json", "data/test.json"))
    yield _dialogues(read, "c3-zh", "zh", "nlpdata/c3", ("data/c3-d-dev.json", "data/c3-d-test.json"))
    for language in ("en", "de", "es", "zh"):
        yield _reading(read, f"xquad-{language}", language, ("google-deepmind/xquad", f"xquad.{language}.json"))
    yield _reading(read, "korquad-ko", "ko", ("korquad/korquad.github.io", "dataset/KorQuAD_v1.0_dev.json"))
    yield _reading(read, "jaquad-ja", "ja", ("SkelterLabsInc/JaQuAD", "data/dev/jaquad_dev_0000.json"))
    yield _reading(read, "jsquad-ja", "ja", ("yahoojapan/JGLUE", "datasets/jsquad-v1.3/valid-v1.3.json"))
    yield _next_turns(read)
    yield from _of_sources(pairs)
    yield from _translations(read)


def _friends(read: Repositories) -> EvaluationSet:
    made = EvaluationSet("friendsqa-en", "en")
    for part in ("dev", "tst"):
        for article in read.json("emorynlp/FriendsQA", f"dat/friendsqa_{part}.json")["data"]:
            for paragraph in article["paragraphs"]:
                said = [each["utterance"] for each in paragraph["utterances:"]]
                for each in said:
                    made.text(each)
                for asked in paragraph["qas"]:
                    places = {int(each["utterance_id"]) for each in asked["answers"]}
                    made.ask(asked["question"], [said[at] for at in places])
    return made.thinned()


def _dialogues(read: Repositories, name: str, language: str, repository: str, paths: tuple[str, ...]) -> EvaluationSet:
    """A question with its answer finds the dialogue it was asked about."""
    made = EvaluationSet(name, language)
    for path in paths:
        for said, questions, _ in read.json(repository, path):
            dialogue = " ".join(line.split(":", 1)[-1].split("：", 1)[-1] for line in said)
            for asked in questions:
                made.ask(f"{asked['question']} {asked['answer']}", [dialogue])
    return made.thinned()


def _reading(read: Repositories, name: str, language: str, file: tuple[str, str]) -> EvaluationSet:
    """A question finds the sentence that answers it, among all of its articles."""
    found = read.json(*file)
    for number, article in enumerate(found["data"]):
        article["title"] = f"squad-{number}" if "xquad" in file[0] else article.get("title", "")
    if "xquad" in file[0]:
        found["data"] = [each for each in found["data"] if held_out("XQuAD", each["title"])]
    made = EvaluationSet(name, language)
    for article in found["data"][:60]:
        for paragraph in article["paragraphs"]:
            for each in sentences(paragraph["context"]):
                made.text(each)
    for _, question, sentence, _ in squad({"data": found["data"][:60]}):
        made.ask(question, [sentence])
    return made.thinned()


def _next_turns(read: Repositories) -> EvaluationSet:
    """Japanese Daily Dialogue: a turn finds the next."""
    made = EvaluationSet("daily-dialogue-ja", "ja")
    for each in read.json("jqk09a/japanese-daily-dialogue", "data/topic1.json")[:400]:
        said = [one["utterance"] for one in each["utterances"]]
        for pair in turns(said, "ja", "", ""):
            made.ask(pair.first, [pair.second])
    return made.thinned()


def _of_sources(pairs: Iterable[Pair]) -> Iterator[EvaluationSet]:
    """Held-out documents of the sources: the first text finds the second."""
    wanted = {
        ("zh", "CMRC 2018"), ("zh", "DRCD"), ("zh", "KdConv"), ("zh", "CrossWOZ"), ("ko", "sae4K"),
        ("ko", "Chatbot_data"), ("ko", "paraKQC"), ("ja", "ASDC"), ("ja", "RealPersonaChat"),
        ("en", "Topical-Chat"), ("en", "QMSum"), ("en", "Cosmos QA"), ("fr", "MDN"), ("es", "MDN"),
        ("fr", "STSb"), ("de", "STSb"), ("es", "STSb"), ("ko", "MDN"),
    }  # fmt: skip
    made: dict[tuple[str, str], EvaluationSet] = {}
    for pair in pairs:
        key = (pair.language, pair.source)
        if key in wanted and held_out(pair.source, pair.document):
            name = f"{pair.source.lower().replace(' ', '-')}-{pair.language}"
            kept = made.setdefault(key, EvaluationSet(name, pair.language))
            if len(kept.questions) < 3 * _MOST_QUESTIONS:
                kept.ask(pair.first, [pair.second])
    for each in made.values():
        yield each.thinned()


def _translations(read: Repositories) -> Iterator[EvaluationSet]:
    """A sentence finds its English translation (the parallel treebanks)."""
    texts = {}
    names = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "ko": "Korean", "zh": "Chinese"}
    for language, name in names.items():
        repository = f"UniversalDependencies/UD_{name}-PUD"
        lines = read.text(repository, f"{language}_pud-ud-test.conllu").splitlines()
        ids = [line[12:] for line in lines if line.startswith("# sent_id = ")]
        said = [line[9:] for line in lines if line.startswith("# text = ")]
        texts[language] = dict(zip(ids, said, strict=True))
    for language in names:
        if language != "en":
            made = EvaluationSet(f"pud-{language}-en", f"{language}-en")
            for key, text in texts[language].items():
                if key in texts["en"]:
                    made.ask(text, [texts["en"][key]])
            yield made
