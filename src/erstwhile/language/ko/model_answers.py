"""What models say in Korean when they found nothing, or refuse."""

from typing import Final

from erstwhile.language.model_answers import ModelAnswers

MODEL_ANSWERS: Final = ModelAnswers(
    nothing="기록할 사실 없음", refusal=r"죄송(?:하지만|합니다)[^\n]{0,80}(?:없습니다|어렵습니다|불가능)"
)
