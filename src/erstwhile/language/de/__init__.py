"""German."""

from typing import Final

NAME: Final = "German"
STEMMER: Final = "german"
