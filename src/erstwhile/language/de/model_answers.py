"""What models say in German when they found nothing, or refuse."""

from typing import Final

from erstwhile.language.model_answers import ModelAnswers

MODEL_ANSWERS: Final = ModelAnswers(
    nothing="Keine Fakten festzuhalten",
    refusal="(?:es )?tut mir leid,? (?:aber )?(?:ich kann|dabei kann ich|das kann ich)",
)
