"""What models say in Spanish when they found nothing, or refuse."""

from typing import Final

from erstwhile.language.model_answers import ModelAnswers

MODEL_ANSWERS: Final = ModelAnswers(nothing="Ningún hecho que registrar", refusal="lo siento,? (?:pero )?no puedo")
