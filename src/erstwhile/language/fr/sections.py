"""French words of the sections of a profile."""

from typing import Final

SECTIONS: Final = {
    "opinions": "pense|croit|préfère|trouve que",
    "relationships": "sœur|frère|mère|père|parents|femme|mari|amie?|fille|fils|chien|chat|mariée?",
    "skills": "sait|parle|maîtrise|joue|programme",
    "interests": "aime|adore|s'intéresse|passionnée?",
    "bio": "habite|vit|travaille|vient|née?|ans|étudie",
}
