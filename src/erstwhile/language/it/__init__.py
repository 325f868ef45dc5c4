"""Italian."""

from typing import Final

NAME: Final = "Italian"
STEMMER: Final = "italian"
