"""What models say in French when they found nothing, or refuse."""

from typing import Final

from erstwhile.language.model_answers import ModelAnswers

MODEL_ANSWERS: Final = ModelAnswers(
    nothing="Aucun fait à retenir", refusal="(?:je suis )?désolée?,? (?:mais )?je ne (?:peux|suis) pas"
)
