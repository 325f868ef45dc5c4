"""What models say in English when they found nothing, or refuse."""

from typing import Final

from erstwhile.language.model_answers import ModelAnswers

_SORRY: Final = (
    r"(?:i['’]?m|i am|we['’]?re) (?:very |so |really )?sorry|sorry|i apologi[sz]e|my apologies|unfortunately"
)
_UNABLE: Final = (
    r"can['’]?t|cannot|can not|won['’]?t|will not|(?:am |['’]m )?(?:unable|not able) to|(?:must|have to) decline"
)
_TASK: Final = (
    r"help|assist|comply|fulfil|provide|summari[sz]e|process|continue|engage|answer|extract|discuss|with|do th"
)

MODEL_ANSWERS: Final = ModelAnswers(
    nothing="No facts to record",
    refusal=(
        rf"(?:{_SORRY})?[,.:;!\s]*(?:but |however,? )?(?:as an ai[^,.]*,? )?"
        rf"(?:i|we) ?(?:{_UNABLE}) ?(?:to )?(?:{_TASK})"
    ),
)
