"""What models say in Chinese when they found nothing, or refuse."""

from typing import Final

from erstwhile.language.model_answers import ModelAnswers

MODEL_ANSWERS: Final = ModelAnswers(
    nothing="没有需要记录的事实", refusal="(?:很|非常)?(?:抱歉|对不起)，?(?:但)?我?(?:无法|不能)"
)
