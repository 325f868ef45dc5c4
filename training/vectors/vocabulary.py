"""Choose the words of the table: `python vocabulary.py pairs.jsonl vocab.json`.

The commonest words of each language (wordfreq, and the training texts), and single characters, so
that every word has pieces. A Korean word with a particle is left out where the word itself is in.
"""

from __future__ import annotations

import gzip
import itertools
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Final

import msgpack
import wordfreq

sys.path.insert(0, str(Path(__file__).parents[2] / "packages" / "erstwhile-vectors" / "src"))
from erstwhile_vectors.words import Words, run_pattern

_SIZE: Final = 90_000  # with 256 dimensions of one byte, 24 MB
_SHARES: Final = {"en": 25500, "de": 12000, "fr": 9500, "es": 9500, "ja": 10500, "ko": 9500, "zh": 13000}
_CHARACTERS: Final = 9000
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzßàâäáçèéêëîïíñóôöùûüúœæ0123456789"
_EASTERN: Final = re.compile("[가-힣一-鿿ぁ-ヺ]")
_PARTICLES: Final = [
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "에",
    "의",
    "도",
    "만",
    "로",
    "으로",
    "와",
    "과",
    "랑",
    "이랑",
    "에서",
    "에게",
    "한테",
    "께",
    "부터",
    "까지",
    "처럼",
    "보다",
    "하고",
    "들",
    "들은",
    "들이",
    "들을",
    "들의",
    "이나",
    "나",
    "라고",
    "이라고",
    "에는",
    "에도",
    "으로도",
    "에서는",
    "에서도",
    "까지도",
    "요",
    "이다",
    "입니다",
    "이에요",
    "예요",
]
_LARGE: Final = {"RealPersonaChat": 12_000, "MDN": 12_000, "Kubernetes": 12_000}  # so that none sets the tone
_USUAL: Final = 60_000


def simplified() -> dict[int, int]:
    file = Path(wordfreq.__file__).parent / "data" / "_chinese_mapping.msgpack.gz"
    held = msgpack.loads(gzip.decompress(file.read_bytes()), raw=False, strict_map_key=False)
    return {one: ord(two) if isinstance(two, str) else two for one, two in held.items()}


def of_texts(pairs: Path, fold: Words) -> dict[str, Counter[str]]:
    """Count in how many training texts of each language a word is."""
    found: dict[str, Counter[str]] = {language: Counter() for language in _SHARES}
    read: Counter[tuple[str, str]] = Counter()
    with pairs.open(encoding="utf-8") as lines:
        for line in lines:
            language, source, _, *texts = json.loads(line)
            read[language, source] += 1
            if read[language, source] <= _LARGE.get(source, _USUAL):
                languages = (language.split("-") * 2)[:2]
                for each, text in zip(languages, texts, strict=True):
                    found[each].update(set(run_pattern().findall(fold.folded(text))))
    return found


def of_language(language: str, fold: Words) -> Counter[str]:
    found: Counter[str] = Counter()
    for word, share in wordfreq.get_frequency_dict(language, "best").items():
        for run in run_pattern().findall(fold.folded(word)):
            found[run] += share  # type: ignore[assignment]
    return found


def ranked(language: str, shares: Counter[str], counts: Counter[str]) -> list[str]:
    scores, total = Counter(shares), sum(counts.values()) or 1
    for word, count in counts.items():
        if count >= 4:
            scores[word] += 1.2 * count / total  # type: ignore[assignment]
    words = [word for word, _ in scores.most_common() if 1 < len(word) <= (24 if word.isascii() else 14)]
    words = [word for word in words if not word.isdigit() or len(word) <= 4]
    if language in ("ja", "ko", "zh"):
        words = [word for word in words if _EASTERN.match(word)]
    if language == "ko":
        whole = set(words)
        words = [word for word in words if not _with_particle(word, whole)]
    return words


def _with_particle(word: str, whole: set[str]) -> bool:
    return any(
        word.endswith(each) and len(word) - len(each) >= 2 and word[: -len(each)] in whole for each in _PARTICLES
    )


def main() -> None:
    pairs, out = Path(sys.argv[1]), Path(sys.argv[2])
    fold = Words(b"a", simplified)
    shares = {language: of_language(language, fold) for language in _SHARES}
    counts = of_texts(pairs, fold)
    characters: Counter[str] = Counter()
    for language in ("ja", "ko", "zh"):
        for word, share in itertools.chain(shares[language].items(), counts[language].items()):
            for each in word:
                characters[each] += share if share < 1 else share * 1e-9  # type: ignore[assignment]
    chosen = dict.fromkeys(each for each, _ in characters.most_common(_CHARACTERS) if _EASTERN.match(each))
    chosen |= dict.fromkeys(_LETTERS)
    lists = {language: ranked(language, shares[language], counts[language]) for language in _SHARES}
    for language, size in _SHARES.items():
        chosen |= dict.fromkeys(lists[language][:size])
    rest = itertools.zip_longest(*(lists[language][size:] for language, size in _SHARES.items()))
    for word in itertools.chain.from_iterable(rest):
        if len(chosen) >= _SIZE:
            break
        if word:
            chosen.setdefault(word)
    words = list(chosen)[:_SIZE]
    frequency = [max([each.get(word, 0) for each in shares.values()] + [1e-8]) for word in words]
    held = {"words": words, "p": frequency, "simp": simplified()}
    out.write_text(json.dumps(held, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
