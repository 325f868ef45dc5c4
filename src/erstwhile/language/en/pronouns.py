"""English pronouns."""

from typing import Final

from erstwhile.language.pronouns import Pronouns

PRONOUNS: Final = Pronouns(
    asker=r"\b(i|i'm|i've|me|my|mine|myself|we|our)\b",
    first_person=r"\b(?:i|i['’](?:m|ve|d|ll)|my|me|we|we['’](?:re|ve)|our)\b",
    own_start=r"(?:i|i['’]\w+|my|me|mine)\b",
    other_start=r"(?:he|she|they|his|her|their|him|them)(?:\b|['’])",
)
