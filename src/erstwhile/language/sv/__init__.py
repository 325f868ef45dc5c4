"""Swedish."""

from typing import Final

NAME: Final = "Swedish"
STEMMER: Final = "swedish"
