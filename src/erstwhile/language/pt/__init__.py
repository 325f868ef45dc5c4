"""Portuguese."""

from typing import Final

NAME: Final = "Portuguese"
STEMMER: Final = "portuguese"
