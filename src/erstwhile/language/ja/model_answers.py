"""What models say in Japanese when they found nothing, or refuse."""

from typing import Final

from erstwhile.language.model_answers import ModelAnswers

MODEL_ANSWERS: Final = ModelAnswers(
    nothing="記録すべき事実なし", refusal=r"申し訳(?:ありません|ございません)[^\n]{0,80}(?:できません|かねます)"
)
