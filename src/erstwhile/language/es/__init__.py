"""Spanish."""

from typing import Final

NAME: Final = "Spanish"
STEMMER: Final = "spanish"
