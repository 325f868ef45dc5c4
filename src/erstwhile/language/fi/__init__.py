"""Finnish."""

from typing import Final

NAME: Final = "Finnish"
STEMMER: Final = "finnish"
