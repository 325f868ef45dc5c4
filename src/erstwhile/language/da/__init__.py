"""Danish."""

from typing import Final

NAME: Final = "Danish"
STEMMER: Final = "danish"
