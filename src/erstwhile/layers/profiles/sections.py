"""Which section a plain sentence about a person belongs into: words of English, Korean, Chinese, Japanese, German, French and Spanish."""

from __future__ import annotations

import re
from typing import Final

from erstwhile.layers.facts import classify


def _words(spaced: str, other: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{spaced})\b|{other}", re.IGNORECASE)


# The first that fits is it. What is in none of them goes by what kind of fact it is.
_RULES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    (
        "opinions",
        _words(
            r"thinks?|thought|believes?|prefers?|would rather|opinion|considers?|(?:dis)?agrees?|supports?|opposes?|(?:finds?|feels?) that"
            r"|over(?:rated|hyped)|underrated"
            r"|meint|findet|glaubt|bevorzugt|hält .{1,30} für|pense|croit|préfère|trouve que|opina|cree|prefiere",
            r"생각|의견|믿는|믿어|선호|认为|認為|觉得|覺得|相信|更喜欢|偏好|と思|意見|考えて",
        ),
    ),
    (
        "relationships",
        _words(
            r"schwester|bruder|mutter|vater|eltern|frau|mann|freund(?:in)?|tochter|sohn|hund|katze|verheiratet"
            r"|sœur|frère|mère|père|parents|femme|mari|amie?|fille|fils|chien|chat|mariée?"
            r"|hermanas?|hermanos?|madre|padre|padres|esposa|esposo|marido|novi[oa]|amig[oa]s?|hij[oa]s?|perr[oa]|gat[oa]|casad[oa]",
            r"母|父|妹|姉|兄|弟|友達|犬|猫|結婚",
        ),
    ),
    (
        "skills",
        _words(
            r"can (?:speak|play|cook|code|program|write|read|draw|sing|dance|swim|ride|drive|fly|fix|build)|speaks?|fluent|knows how"
            r"|(?:is |are )?(?:good|skilled|experienced|expert|proficient) (?:at|in|with)"
            r"|plays the|programs?|codes?|skills?|certified|trained"
            r"|kann|spricht|beherrscht|spielt|programmiert|sait|parle|maîtrise|joue|programme|sabe|habla|domina|toca|programa",
            r"할 수 있|할 줄|잘\s?하|능숙|구사|자격증|会(?!议|員|员)|會(?!議)|擅长|擅長|精通|能说|できる|得意|話せる|弾ける",
        ),
    ),
    (
        "interests",
        _words(
            r"mag|liebt|interessiert|hobbys?|begeistert|sammelt|aime|adore|s'intéresse|passionnée?|gusta|encanta|interesa|aficionad[oa]"
            r"|collects?|passionate|into|watches|listens to|follows|plays",
            r"好き|趣味|興味",
        ),
    ),
    (
        "bio",
        _words(
            r"years? old|aged?|works? (?:as|at|for|in)|studies|studied|student|job|born|native|graduated|is an? \w+(?:er|or|ist|ian|nurse)"
            r"|lebt|wohnt|arbeitet|kommt aus|geboren|jahre alt|studiert|habite|vit|travaille|vient|née?|ans|étudie"
            r"|vive|trabaja|nació|años|estudia|es de",
            r"살\b|직업|일하|출신|학생|전공|岁|歲|职业|職業|工作|毕业|畢業|学生|學生|住んで|働いて|出身|歳",
        ),
    ),
)
_BY_CATEGORY: Final = {"relation": "relationships", "preference": "interests", "place": "bio"}


def guess(text: str) -> str:
    said = text[:2000]
    category = classify.category(said)
    if category == "relation":
        return "relationships"
    found = next((name for name, pattern in _RULES if pattern.search(said)), None)
    if category == "preference" and found != "opinions":  # "hates", "is allergic to": what one is drawn to, or not
        return "interests"
    return found or _BY_CATEGORY.get(category, "other")
