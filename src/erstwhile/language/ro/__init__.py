"""Romanian."""

from typing import Final

NAME: Final = "Romanian"
STEMMER: Final = "romanian"
