"""Hungarian."""

from typing import Final

NAME: Final = "Hungarian"
STEMMER: Final = "hungarian"
