"""Indonesian."""

from typing import Final

NAME: Final = "Indonesian"
STEMMER: Final = "indonesian"
