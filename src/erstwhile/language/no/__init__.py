"""Norwegian."""

from typing import Final

NAME: Final = "Norwegian"
STEMMER: Final = "norwegian"
