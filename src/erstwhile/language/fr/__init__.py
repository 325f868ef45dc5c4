"""French."""

from typing import Final

NAME: Final = "French"
STEMMER: Final = "french"
