"""The training pairs, one function per public repository. README.md lists them with their licences.

A pair is two texts that belong together: a question and the sentence that answers it, a turn and
the next one, a sentence and its translation. `document` says which pairs stay together when some
are held out for evaluation. Benchmarks of conversational memory are not among the sources.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from repositories import Repositories


class Pair(NamedTuple):
    language: str  # of the first text; "en-ja" for a translation
    source: str
    document: str
    first: str
    second: str


_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_PARAGRAPH: Final = 400  # characters: a long message, not a page


def sentences(text: str) -> list[str]:
    return [each.strip() for each in _END.split(text) if each and each.strip()]


def answering(context: str, start: int) -> str:
    """The sentence of a paragraph that has the answer, which begins at `start`."""
    at = 0
    for each in sentences(context):
        found = context.find(each, at)
        at = found + len(each)
        if start < at:
            return each
    return context[:_PARAGRAPH]


def squad(found: Any) -> Iterator[tuple[str, str, str, str]]:
    """Yield document, question, answering sentence, paragraph."""
    for number, article in enumerate(found["data"]):
        for paragraph in article["paragraphs"]:
            context = paragraph["context"]
            for asked in paragraph["qas"]:
                if asked.get("answers") and not asked.get("is_impossible"):
                    start = int(asked["answers"][0]["answer_start"])
                    title = article.get("title") or f"{number}"
                    yield title, asked["question"], answering(context, start), context


def _squad_pairs(found: Any, language: str, source: str) -> Iterator[Pair]:
    for title, question, sentence, context in squad(found):
        yield Pair(language, source, title, question, sentence)
        yield Pair(language, source, title, question, around(context, sentence))


def around(context: str, sentence: str) -> str:
    """A sentence with what stands around it in its paragraph."""
    at = max(0, context.find(sentence) + len(sentence) // 2 - _PARAGRAPH // 2)
    return context[at : at + _PARAGRAPH]


def turns(said: Iterable[str], language: str, source: str, document: str) -> Iterator[Pair]:
    """Each turn with the next, when both say something."""
    lines = [each.strip() for each in said]
    least = 6 if language in ("zh", "ja", "ko") else 15
    for one, two in itertools.pairwise(lines):
        if len(one) >= least and len(two) >= least and one != two:
            yield Pair(language, source, document, one[:_PARAGRAPH], two[:_PARAGRAPH])


def jaquad(read: Repositories) -> Iterator[Pair]:
    for path in read.names("SkelterLabsInc/JaQuAD", "data/train/", ".json"):
        yield from _squad_pairs(read.json("SkelterLabsInc/JaQuAD", path), "ja", "JaQuAD")


def jglue(read: Repositories) -> Iterator[Pair]:
    name = "yahoojapan/JGLUE"
    kept = {each["title"] for each in read.json(name, "datasets/jsquad-v1.3/valid-v1.3.json")["data"]}
    found = read.json(name, "datasets/jsquad-v1.3/test-v1.3.json")
    found["data"] = [each for each in found["data"] if each["title"] not in kept]
    yield from _squad_pairs(found, "ja", "JSQuAD")
    for part in ("train", "valid", "test"):
        for each in read.json_lines(name, f"datasets/jsts-v1.3/{part}-v1.3.json"):
            if each["label"] >= 3.5:
                pair = each["sentence1"], each["sentence2"]
                yield Pair("ja", "JSTS", each["yjcaptions_id"], *pair)
    for part in ("valid", "test"):
        for each in read.json_lines(name, f"datasets/jnli-v1.3/{part}-v1.3.json"):
            if each["label"] == "entailment":
                yield Pair("ja", "JNLI", each["yjcaptions_id"], each["sentence1"], each["sentence2"])


def accommodation(read: Repositories) -> Iterator[Pair]:
    name = "megagonlabs/asdc"
    for path in read.names(name, "data/supplemental/scud/", ".Example.jsonl"):
        for each in read.json_lines(name, path):
            document = each["sid"]["id"].rsplit(".", 1)[0]
            said = " ".join(each["sources"])
            meant = re.sub(r"【\w+】(が|の|は|に|を|と)?", "", " ".join(each["targets"]))
            if each["correct"] and len(said) > 5 and len(meant) > 5:
                yield Pair("ja", "ASDC", document, said, meant)
                asked = each["context"][-1]["text"] if each["context"] else ""
                if len(asked) > 8:
                    yield Pair("ja", "ASDC", document, asked, said)
    for path in read.names(name, "data/vanilla/", ".VanillaUtterances.jsonl"):
        for each in read.json_lines(name, path):
            yield from turns((one["text"] for one in each["utterances"]), "ja", "ASDC", each["docid"]["id"])


def persona_chat(read: Repositories) -> Iterator[Pair]:
    import json

    name = "nu-dialogue/real-persona-chat"
    for path, text in read.texts(name, read.names(name, "real_persona_chat/dialogues/", ".json")):
        said = (each["text"] for each in json.loads(text)["utterances"])
        yield from turns(said, "ja", "RealPersonaChat", path)


def tanaka(read: Repositories) -> Iterator[Pair]:
    name = "odashi/small_parallel_enja"
    for part in ("train", "dev"):
        english = read.text(name, f"{part}.en").splitlines()
        japanese = read.text(name, f"{part}.ja").splitlines()
        for number, (one, two) in enumerate(zip(english, japanese, strict=True)):
            yield Pair("en-ja", "Tanaka", f"{part}{number}", one, two.replace(" ", ""))


def meetings(read: Repositories) -> Iterator[Pair]:
    name = "tsuruoka-lab/AMI-Meeting-Parallel-Corpus"
    for part in ("dev", "test"):
        for each in read.json(name, f"{part}.json"):
            said = each["conversation"]
            for line in said:
                if len(line["en_sentence"]) > 15:
                    yield Pair("en-ja", "AMI-ja", each["id"], line["en_sentence"], line["ja_sentence"])
            yield from turns((line["en_sentence"] for line in said), "en", "AMI-ja", each["id"])
            yield from turns((line["ja_sentence"] for line in said), "ja", "AMI-ja", each["id"])


def similar_sentences(read: Repositories) -> Iterator[Pair]:
    """The STS benchmark in seven languages: near sentences, and each with its translations."""
    parts: dict[str, list[tuple[str, str, float]]] = {}
    for language in ("en", "de", "fr", "es", "ja", "zh"):
        rows = []
        for part in ("train", "dev"):
            found = read.text("PhilipMay/stsb-multi-mt", f"data/stsb-{language}-{part}.csv")
            rows += [(one, two, float(score)) for one, two, score in csv.reader(io.StringIO(found))]
        parts[language] = rows
    korean = []
    for part in ("train", "dev"):
        lines = read.text("kakaobrain/KorNLUDatasets", f"KorSTS/sts-{part}.tsv").splitlines()[1:]
        fields = [line.split("\t") for line in lines]
        korean += [(each[5], each[6], float(each[4])) for each in fields]
    parts["ko"] = korean
    for language, rows in parts.items():
        for number, (one, two, score) in enumerate(rows):
            if score >= 3.8 and one != two:
                yield Pair(language, "STSb", f"{number}", one, two)
            if language != "en" and len(rows) == len(parts["en"]):
                yield Pair(f"en-{language}", "STSb", f"{number}", parts["en"][number][0], one)
                yield Pair(f"en-{language}", "STSb", f"{number}", parts["en"][number][1], two)


def korean_inference(read: Repositories) -> Iterator[Pair]:
    for part in ("dev", "test"):
        lines = read.text("kakaobrain/KorNLUDatasets", f"KorNLI/xnli.{part}.ko.tsv").splitlines()[1:]
        for line in lines:
            one, two, label = line.split("\t")
            if label == "entailment":
                yield Pair("ko", "KorNLI", one, one, two)


def klue(read: Repositories) -> Iterator[Pair]:
    name = "KLUE-benchmark/KLUE"
    for each in read.json(name, "klue_benchmark/klue-sts-v1.1/klue-sts-v1.1_dev.json"):
        if each["labels"]["label"] >= 3.5:
            yield Pair("ko", "KLUE", each["guid"], each["sentence1"], each["sentence2"])
    for each in read.json(name, "klue_benchmark/klue-nli-v1.1/klue-nli-v1.1_dev.json"):
        if each["gold_label"] == "entailment":
            yield Pair("ko", "KLUE", each["premise"], each["premise"], each["hypothesis"])


def korean_commands(read: Repositories) -> Iterator[Pair]:
    for line in read.text("warnikchow/sae4k", "data/sae4k_v1.txt").splitlines():
        fields = line.split("\t")
        if len(fields) >= 2 and fields[0] != fields[1]:
            yield Pair("ko", "sae4K", fields[1], fields[0], fields[1])
    group: list[str] = []
    for line in read.text("warnikchow/paraKQC", "data/paraKQC_v1.txt").splitlines():
        fields = line.split("\t")
        if len(fields) == 3:
            group.append(fields[2])
            if len(group) == 10:  # ten wordings of one question follow each other
                for one, two in itertools.pairwise(group):
                    yield Pair("ko", "paraKQC", group[0], one, two)
                group = []


def korean_questions(read: Repositories) -> Iterator[Pair]:
    for each in csv.DictReader(io.StringIO(read.text("songys/Question_pair", "kor_pair_train.csv"))):
        if each["is_duplicate"] == "1":
            yield Pair("ko", "Question_pair", each["qid1"], each["question1"], each["question2"])
    for each in csv.DictReader(io.StringIO(read.text("songys/Chatbot_data", "ChatbotData.csv"))):
        yield Pair("ko", "Chatbot_data", each["A"], each["Q"], each["A"])


def korean_news(read: Repositories) -> Iterator[Pair]:
    name = "jungyeul/korean-parallel-corpora"
    for part in ("dev", "test"):
        packed = io.BytesIO(read.bytes(name, f"korean-english-news-v1/korean-english-park.{part}.tar.gz"))
        with tarfile.open(fileobj=packed) as opened:
            files = {each.name[-2:]: opened.extractfile(each) for each in opened.getmembers() if each.isfile()}
            texts = {key: each.read().decode().splitlines() for key, each in files.items() if each}
        for number, (one, two) in enumerate(zip(texts["en"], texts["ko"], strict=False)):
            yield Pair("en-ko", "Korean news", f"{part}{number}", one, two)
    for part in ("dev", "eval"):
        english = read.text(name, f"korean-english-jhe/jhe-koen-{part}.en").splitlines()
        korean = read.text(name, f"korean-english-jhe/jhe-koen-{part}.ko").splitlines()
        for number, (one, two) in enumerate(zip(english, korean, strict=False)):
            yield Pair("en-ko", "Korean news", f"jhe{part}{number}", one, two)
    for part in ("dev", "test"):
        english = read.text(name, f"northkorean-english-news-v1/northkorean-english.{part}.en").splitlines()
        korean = read.text(name, f"northkorean-english-news-v1/northkorean-english.{part}.nk").splitlines()
        for number, (one, two) in enumerate(zip(english, korean, strict=False)):
            yield Pair("en-ko", "Korean news", f"nk{part}{number}", one, two)


def chinese_reading(read: Repositories) -> Iterator[Pair]:
    for part in ("trial", "dev"):
        found = read.json("ymcui/cmrc2018", f"squad-style-data/cmrc2018_{part}.json")
        for number, article in enumerate(found["data"]):
            article["title"] = f"cmrc-{part}-{number}"
        yield from _squad_pairs(found, "zh", "CMRC 2018")
    for part in ("dev", "test"):
        yield from _squad_pairs(read.json("DRCKnowledgeTeam/DRCD", f"DRCD_{part}.json"), "zh", "DRCD")


def chinese_dialogues(read: Repositories) -> Iterator[Pair]:
    name = "thu-coai/KdConv"
    for topic in ("film", "music", "travel"):
        for part in ("dev", "test"):
            for number, each in enumerate(read.json(name, f"data/{topic}/{part}.json")):
                document = f"{topic}-{part}-{number}"
                said = [one["message"] for one in each["messages"]]
                yield from turns(said, "zh", "KdConv", document)
                for one in each["messages"]:
                    for known in one.get("attrs", []):
                        text = f"{known['name']} {known['attrname']} {known['attrvalue']}"
                        yield Pair("zh", "KdConv", document, one["message"], text[:_PARAGRAPH])
    for part in ("val", "test"):
        packed = zipfile.ZipFile(io.BytesIO(read.bytes("thu-coai/CrossWOZ", f"data/crosswoz/{part}.json.zip")))
        import json

        for key, each in json.loads(packed.read(f"{part}.json")).items():
            yield from turns((one["content"] for one in each["messages"]), "zh", "CrossWOZ", key)


def english_dialogues(read: Repositories) -> Iterator[Pair]:
    name = "google-research-datasets/dstc8-schema-guided-dialogue"
    for part in ("train", "dev", "test"):
        for path in read.names(name, f"{part}/", ".json"):
            if "dialogues" in path:
                for each in read.json(name, path)[::3]:
                    said = (one["utterance"] for one in each["turns"])
                    yield from turns(said, "en", "SGD", part + each["dialogue_id"])
    name = "alexa/Topical-Chat"
    for part in ("valid_freq", "valid_rare", "test_freq", "test_rare"):
        for key, each in read.json(name, f"conversations/{part}.json").items():
            yield from turns((one["message"] for one in each["content"]), "en", "Topical-Chat", key)
    name = "kushalchawla/CaSiNo"
    for each in read.json(name, "data/split/casino_train.json"):
        yield from turns((one["text"] for one in each["chat_logs"]), "en", "CaSiNo", f"{each['dialogue_id']}")


def english_meetings(read: Repositories) -> Iterator[Pair]:
    name = "Yale-LILY/QMSum"
    for path in read.names(name, "data/", ".jsonl"):
        if "/ALL/" in path:  # the others again
            continue
        for number, each in enumerate(read.json_lines(name, path)):
            document = f"{path}-{number}"
            lines = [one["content"] for one in each["meeting_transcripts"]]
            yield from turns(lines, "en", "QMSum", document)
            for asked in each["specific_query_list"]:
                yield Pair("en", "QMSum", document, asked["query"], asked["answer"][:_PARAGRAPH])
                start, end = (int(at) for at in asked["relevant_text_span"][0])
                for line in lines[start : end + 1]:
                    if len(line) > 80:
                        yield Pair("en", "QMSum", document, asked["query"] + " " + asked["answer"], line[:_PARAGRAPH])


def english_questions(read: Repositories) -> Iterator[Pair]:
    for each in csv.DictReader(io.StringIO(read.text("wilburOne/cosmosqa", "data/valid.csv"))):
        answer = each[f"answer{each['label']}"]
        if "None of the above" not in answer:
            yield Pair("en", "Cosmos QA", each["id"].split("##")[0], each["question"] + " " + answer, each["context"])
    for each in read.json_lines("google-research-datasets/QED", "qed-dev.jsonlines"):
        text = each["paragraph_text"][:_PARAGRAPH]
        yield Pair("en", "QED", each["title_text"], each["question_text"], text)
    found = read.json("deepset-ai/COVID-QA", "data/question-answering/200423_covidQA.json")
    for article in found["data"]:
        for paragraph in article["paragraphs"]:
            for asked in paragraph["qas"]:
                context, start = paragraph["context"], int(asked["answers"][0]["answer_start"])
                text = context[max(0, start - 100) : start + 250]
                yield Pair("en", "COVID-QA", f"{paragraph.get('document_id')}", asked["question"], text)
    rows = csv.DictReader(io.StringIO(read.text("deepset-ai/COVID-QA", "data/faqs/faq_covidbert.csv")))
    for each in rows:
        if each["question"] and each["answer"]:
            yield Pair("en", "COVID-QA", each["question"], each["question"], each["answer"][:_PARAGRAPH])


# The articles of SQuAD's development set, which XQuAD and the Spanish translation share. Half are held out.
def squad_family(read: Repositories) -> Iterator[Pair]:
    found = read.json("ccasimiro88/TranslateAlignRetrieve", "SQuAD-es-v1.1/dev-v1.1-es_small.json")
    for number, article in enumerate(found["data"]):
        article["title"] = f"squad-{number}"
    yield from _squad_pairs(found, "es", "SQuAD-es")
    for language in ("en", "de", "es", "zh"):
        found = read.json("google-deepmind/xquad", f"xquad.{language}.json")
        for number, article in enumerate(found["data"]):
            article["title"] = f"squad-{number}"
        yield from _squad_pairs(found, language, "XQuAD")


_HEADING: Final = re.compile(r"^(#+)\s+(.*)$")
_MARKUP: Final = re.compile(r"```.*?```|\{\{.*?\}\}|\{%.*?%\}|<!--.*?-->|<[^>]+>|^---.*?^---", re.DOTALL | re.MULTILINE)
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


def documentation(read: Repositories) -> Iterator[Pair]:
    """A title or heading with the paragraph under it, from technical documentation."""
    kubernetes = {"ko": "ko", "de": "de", "fr": "fr", "es": "es", "ja": "ja", "zh-cn": "zh", "en": "en"}
    for folder, language in kubernetes.items():
        paths = read.names("kubernetes/website", f"content/{folder}/", ".md")
        for path, text in read.texts("kubernetes/website", paths[:: 3 if folder in ("en", "zh-cn") else 1]):
            yield from _sections(text, language, "Kubernetes", path.split("/", 2)[2])
    for folder, language in {"ja": "ja", "ko": "ko", "es": "es", "fr": "fr", "zh-cn": "zh"}.items():
        paths = read.names("mdn/translated-content", f"files/{folder}/", ".md")
        step = {"ja": 5, "fr": 4, "zh": 4}.get(language, 1)
        for path, text in read.texts("mdn/translated-content", paths[::step]):
            yield from _sections(text, language, "MDN", path.split("/", 2)[2])


def _sections(text: str, language: str, source: str, document: str) -> Iterator[Pair]:
    title = re.search(r"^title:\s*(.+)$", text, re.MULTILINE)
    name = title[1].strip("\"' ") if title else ""
    heading = name
    least = 20 if language in ("zh", "ja", "ko") else 50
    for block in re.split(r"\n\s*\n", _MARKUP.sub(" ", text)):
        lines = block.strip()
        found = _HEADING.match(lines)
        if found:
            heading = f"{name} {re.sub('{#.*', '', found[2]).strip()}"
            continue
        if heading and len(lines) >= least and not lines.startswith(("|", "-", "*", ">", "    ", "title:")):
            said = _LINK.sub(r"\1", lines).replace("`", "").replace("**", "").replace("\n", " ")
            yield Pair(language, source, document, heading, said[:_PARAGRAPH])
            halves = sentences(said)
            if len(halves) >= 2 and min(map(len, halves[:2])) >= least:
                yield Pair(language, source, document, halves[0][:_PARAGRAPH], halves[1][:_PARAGRAPH])
            heading = ""


ALL: Final = (
    jaquad,
    jglue,
    accommodation,
    persona_chat,
    tanaka,
    meetings,
    similar_sentences,
    korean_inference,
    klue,
    korean_commands,
    korean_questions,
    korean_news,
    chinese_reading,
    chinese_dialogues,
    english_dialogues,
    english_meetings,
    english_questions,
    squad_family,
    documentation,
)
