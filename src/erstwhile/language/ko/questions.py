"""Korean question words and polite endings, as whole words: many of them also stand inside other words."""

from typing import Final

QUESTIONS: Final = (
    "(?<![가-힣])(?:누가|누구(?:야|지|의|를|랑|와|예요|인가요)?|무엇(?:을|이|인가요)?|무슨|뭐(?:를|가|야|지|예요)?|뭘|언제(?:야|지|부터)?"
    "|어디(?:서|에|로|에서|야|지|예요)?|어떻게|어떤|어느|왜|얼마나?|몇|있어|있나요|했어|했지|했나요|인가요|나요)(?![가-힣])"
)
