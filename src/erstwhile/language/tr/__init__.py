"""Turkish."""

from typing import Final

NAME: Final = "Turkish"
STEMMER: Final = "turkish"
